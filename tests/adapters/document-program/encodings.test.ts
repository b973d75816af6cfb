import { decode } from '../../../src/adapters/document-program/decode';
import { likelyEncoding, withWindowsSigns } from '../../../src/adapters/document-program/encodings';

const hex = (text: string) => new Uint8Array(Buffer.from(text.replace(/\s/g, ''), 'hex'));

/** Returns the bytes of a text in an encoding that `TextDecoder` knows, found by decoding each pair of bytes. */
const encoders = new Map<string, Map<string, number[]>>();
function encoded(text: string, encoding: string): Uint8Array {
  const known = encoders.get(encoding) ?? tableOf(encoding);
  encoders.set(encoding, known);
  return Uint8Array.from(
    [...text].flatMap((one) => (one < '\x80' ? [one.charCodeAt(0)] : (known.get(one) ?? [0x3f]))),
  );
}

function tableOf(encoding: string): Map<string, number[]> {
  const table = new Map<string, number[]>();
  const decoder = new TextDecoder(encoding);
  for (let lead = 0x80; lead < 0x100; lead += 1) {
    const decoded = decoder.decode(Uint8Array.of(lead));
    const single = encoding === 'windows-1252' ? withWindowsSigns(decoded) : decoded;
    if ([...single].length === 1 && single !== '\ufffd') table.set(single, [lead]);
    for (let trail = 0x40; trail < 0x100; trail += 1) {
      const pair = decoder.decode(Uint8Array.of(lead, trail));
      if ([...pair].length === 1 && pair !== '\ufffd' && !table.has(pair)) table.set(pair, [lead, trail]);
    }
  }
  return table;
}

const SAMPLES: Readonly<Record<string, readonly string[]>> = {
  'windows-1252': [
    'Größe und Gewicht',
    'Café “naïve” — déjà vu',
    'The price is 5 €',
    'Ñandú año',
    'Crème brûlée für Zoë',
    'Müller',
    'Größe',
    'ÄRGER ÜBER ÖL',
    'Smørrebrød på Ærø',
    'São João não',
    'It’s “done”…',
    '20 °C ± 2',
    'naïve,café\n1,2\n',
  ],
  'iso-8859-15': ['Prix : 5 € le cœur', 'Œuvre à 10 €', 'Škoda et Citroën'],
  shift_jis: [
    '日本語のテキスト',
    'これはテストです。',
    '会議メモ: 来週の月曜日',
    '東京',
    '名前,年齢\n田中,30\n',
    'エラーが発生しました',
    '株式会社',
  ],
  'euc-jp': ['日本語のテキストです。', '会議メモ'],
  gb18030: [
    '中文文本',
    '这是一个测试文件。',
    '会议记录：下周一',
    '北京市政府',
    '姓名,年龄\n张三,30\n',
    '服务器错误',
    '你好，世界',
  ],
  big5: ['這是一個測試檔案。', '會議記錄'],
  'euc-kr': ['안녕하세요 세계', '회의록'],
  'windows-1250': [
    'Imię;Nazwisko;Kwota\nŁukasz;Żółtowski;1 250,00\nMałgorzata;Wiśniewska;980,50\n',
    'Zażółć gęślą jaźń',
    'Jméno;Město\nJiří Dvořák;Plzeň\n',
    'Árvíztűrő tükörfúrógép',
    'Nume;Oraş\nIon Ţăranu;Bucureşti\n',
    'Ime;Grad\nŽeljko Đurić;Šibenik\n',
    'Meno;Mesto\nĽubomír Kováč;Košice\n',
  ],
  'iso-8859-2': ['Zażółć gęślą jaźń', 'Příliš žluťoučký kůň úpěl ďábelské ódy'],
  'windows-1251': [
    'Привет, мир',
    'Протокол собрания',
    'Москва',
    'имя;возраст\nАнна;30',
    "Ім'я;Місто\nЮрій Ковальчук;Львів\n",
    'Име;Град\nГеорги Иванов;София\n',
  ],
  'koi8-r': ['Привет, мир', 'Протокол собрания'],
  'koi8-u': ['Україна є другою за площею країною Європи'],
  ibm866: ['Съешь же ещё этих мягких французских булок, да выпей чаю.'],
  'iso-8859-5': ['Имя;Город\nИван Петров;Москва\n'],
  'x-mac-cyrillic': ['Съешь же ещё этих мягких французских булок, да выпей чаю.'],
  'windows-1253': ['Όνομα;Πόλη\nΓιώργος Παπαδόπουλος;Αθήνα\n', 'Άννα'],
  'iso-8859-7': ['Όνομα;Πόλη\nΓιώργος Παπαδόπουλος;Αθήνα\nΆννα;Χανιά\n'],
  'windows-1254': ['Ad;Şehir\nAyşe Yılmaz;İstanbul\n', 'Pijamalı hasta yağız şoföre çabucak güvendi'],
  'windows-1255': ['שם;עיר\nדוד כהן;ירושלים\n', 'דג סקרן שט בים מאוכזב ולפתע מצא לו חברה'],
  'windows-1256': ['الاسم;المدينة\nمحمد علي;القاهرة\n', 'مرحبا بالعالم', 'نام;شهر\nرضا پارسا;تهران\n'],
  'iso-8859-6': ['اللغة العربية هي أكثر اللغات السامية تحدثا'],
  'windows-1257': ['Vardas;Miestas\nRūta Jankauskaitė;Panevėžys\n', 'Vārds;Pilsēta\nJānis Bērziņš;Rīga\n'],
  'windows-874': ['ชื่อ;เมือง\nสมชาย ใจดี;กรุงเทพมหานคร\n', 'สวัสดีชาวโลก'],
  macintosh: ['Prénom;Ville\nHélène Lefèvre;Besançon\n', 'Größe und Gewicht der Äpfel'],
};

describe('a text in an encoding that it does not name', () => {
  it.each(
    Object.entries(SAMPLES).flatMap(([encoding, texts]) => texts.map((text) => [encoding, text] as const)),
  )('in %s is read: %j', (encoding, text) => {
    const bytes = encoded(text, encoding);
    expect([likelyEncoding(bytes), decode(bytes, 'a.txt').text]).toEqual([encoding, text]);
    expect(decode(bytes, 'a.txt').warnings).toEqual([expect.stringContaining(`read as ${encoding}`)]);
  });

  const wide = (text: string) => new Uint8Array(Buffer.from(text, 'utf16le'));
  const wider = (text: string) =>
    Uint8Array.from(
      [...text].flatMap((one) => [(one.codePointAt(0) ?? 0) & 255, (one.codePointAt(0) ?? 0) >> 8, 0, 0]),
    );
  it.each([
    ['utf-16le', wide('Größe: 5 Zoll\n')],
    ['utf-16le', wide('ab')],
    ['utf-16le', wide('会议 记录: 2026\n下周一')],
    ['utf-16be', new Uint8Array(Buffer.from('Größe: 5 Zoll\n', 'utf16le').swap16())],
    ['utf-32le', wider('Größe: 5 Zoll\n')],
    ['utf-32be', Uint8Array.from([...wider('Größe: 5 Zoll\n')].reverse())],
  ])('in %s without a mark is read', (encoding, bytes) => {
    const { text, warnings } = decode(bytes, 'a.txt');
    expect(warnings).toEqual([expect.stringContaining(`read as ${encoding}`)]);
    expect(encoding === 'utf-32be' ? [...text].reverse().join('') : text).toMatch(
      /^(?:Größe: 5 Zoll\n|ab|会议 记录: 2026\n下周一)$/,
    );
  });

  it('in ISO-2022-JP, which is in seven bits, is read', () => {
    const bytes = hex('61 0a 1b2442 467c 4b5c 1b2842 0a');
    const warnings = [expect.stringContaining('read as iso-2022-jp')];
    expect(decode(bytes, 'a.txt')).toEqual({ text: 'a\n日本\n', guessed: 'iso-2022-jp', warnings });
    expect(decode(bytes, 'a.html', 'ISO-2022-JP')).toEqual({ text: 'a\n日本\n', warnings: [] });
    expect(decode(hex('1b24 6b'), 'a.log').text).toBe('\x1b$k');
  });

  it('is what it declares', () => {
    expect(decode(hex('47 72 f6 df 65'), 'a.html', 'iso-8859-1')).toEqual({ text: 'Größe', warnings: [] });
  });
});

describe('a few bad bytes', () => {
  it.each([
    ['among UTF-8', hex(`c3a9 ff ${Buffer.from('é ok ü').toString('hex')}`), 'é�é ok ü'],
    ['a zero byte', hex('6f 6b 00 0a 6f 6b'), 'ok\0\nok'],
    ['a character that is cut', hex('c3a4c3b6c3bc e282'), 'äöü�'],
  ])('do not refuse a log: %s', (_, bytes, text) => {
    const read = decode(bytes, 'a.log');
    expect(read.text).toBe(text);
    expect(read.warnings).toEqual([expect.stringMatching(/no valid text and shows as/)]);
  });
  it('in ASCII are letters of Windows-1252', () => {
    expect(decode(hex('4f4b20 6361 66e9 20 31'), 'a.log').text).toBe('OK café 1');
  });
});
