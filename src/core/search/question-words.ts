import { foldLatin } from '../base/text';
import { isStopWord } from '../fulltext/stop-words';
import type { Analyser } from '../fulltext/terms';
import { eachWord, isPaired } from '../fulltext/words';

/**
 * Words of grammar and of questions by language, which an answer need not contain: articles, pronouns, prepositions, auxiliary verbs, and
 * what asks. English lacks nothing here of what the search leaves out.
 */
const GRAMMAR: readonly string[] = [
  // en
  `
    a about after all also am among an and any are as at be because been before being between but by can could did do does doing during each for
    from further had has have having he her here hers him his how i if in into is it its itself just let like many may me might more most much
    must my near no nor not of off often on once one only or other our out over own per say said shall she should since so some such tell than
    that the their them then there these they this those through to too under until up us use used very was we were what when where whether
    which while who whom whose why will with within without would yes yet you your know explain happen happened mean means name named called
    kind type sort get got please show find give long
  `,
  // de
  `
    aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bin bis bist da dabei dadurch dafür damit dann daran
    darauf das dass dein dem den denn der des dessen deren dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem
    einen einer eines er es etwa etwas euch euer für gab gegen gibt habe haben hat hatte hatten heißt hier hin ich ihm ihn ihnen ihr ihre ihrem
    ihren ihrer im in ins ist ja jede jedem jeden jeder jedes kann kein keine können konnte konnten machen macht man mehr mein mich mir mit muss
    müssen nach nicht noch nun nur ob oder ohne sehr sein seine seinem seinen seiner seit sich sie sind so soll sollte sollten über um und uns
    unser unter vom von vor wann war waren warum was weil welche welchem welchen welcher welches wem wen wenn wer werden wird wessen weshalb wie
    wieder wieso wieviel wieviele viel viele vielen will wo wobei wodurch wofür woher wohin womit wonach woran worauf woraus worin worüber worum
    wovon wozu wurde wurden zu zum zur zwischen dient nennt genannt bedeutet lang lange
  `,
  // fr
  `
    à ai alors après au aucun aussi autre aux avait avant avec avoir avez bien car ce ceci cela celle celui ces cet cette chez ci comme comment
    combien d dans de des donc dont du elle elles en encore entre est et était étaient été être eu eux fait faire font fut furent ici il ils j
    je l la là le les leur leurs lequel laquelle lesquels lesquelles lors lui m ma mais me même mes moi mon n ne ni nos notre nous on ont ou où
    par pas pendant peut peuvent plus pour pourquoi qu quand que quel quelle quelles quels qui quoi s sa sans se selon sera ses si son sont sous
    sur t ta te tes toi ton tous tout toute toutes très tu un une vers vos votre vous y appelle signifie sert
  `,
  // es
  `
    a al algo ante antes aquel así aún aunque cada como cómo con cual cuál cuales cuáles cuando cuándo cuanto cuánto cuanta cuánta cuantos
    cuántos cuantas cuántas cuya cuyo de del desde donde dónde dos el él ella ellas ello ellos en entre era eran es esa ese eso esta está están
    este esto estos estas fue fueron ha había habían hace hacen hacer hacia han hasta hay la las le les lo los más me mi muy ni no nos o otra
    otro otros para pero por porque pudo puede pueden que qué quien quién quienes quiénes se sea ser será si sí sido sin sobre son su sus
    también tan te tenía tiene tienen tuvo tu un una unas uno unos y ya yo llama significa sirve mucho muchos
  `,
  // it
  `
    a ad ai al alla alle allo agli anche ancora aveva avevano che chi ci ciò col come con contro cosa cui da dai dal dalla dalle dallo dagli
    degli dei del della delle dello di dopo dove e è ed era erano essere fa fare fra fu furono gli ha hanno i il in io l la le lei li lo loro
    lui ma mi mia mio ne negli nei nel nella nelle nello no noi non o ogni per perché perciò più poi può possono prima qual quale quali quando
    quanta quante quanti quanto quella quelle quelli quello questa queste questi questo se sei si sia sono sta stata stato stati su sua sue
    sugli sui sul sulla suo suoi tra tu tutti tutto un una uno vi voi chiama significa serve
  `,
  // pt
  `
    a à ao aos as às até com como da das de dela dele deles depois do dos durante e é ela elas ele eles em entre era eram essa esse esta está
    estão este eu foi foram for há isso isto já lhe mais mas me mesmo meu minha muito na nas nem no nos nós num numa o onde os ou para pela
    pelas pelo pelos pode podem por porque porquê qual quais quando quanta quantas quanto quantos que quê quem se sem ser será seu seus só sobre
    sua suas também te tem têm tinha tinham um uma você chama significa serve
  `,
  // nl
  `
    aan af al alle als ben bij dan dat de deze die dit doen doet door dus een en er geen geweest had hadden heb hebben heeft heet hem het hier
    hij hoe hoeveel hoelang hun ik in is ja je kan kon kunnen maar meer men met mij mijn moet na naar niet nog nu of om omdat ons onder ook op
    over te tegen toen tot u uit van veel voor waar waarom waaraan waarin waarmee waarop waarvan waarvoor wanneer want waren was wat welk welke
    we wel werd werden wie wiens wij worden wordt ze zelf zich zij zijn zo zou
  `,
  // sv
  `
    alla allt att av bli blev blir de dem den denna deras dess det detta dig din du där efter ej eller en er ett från för gör göra ha hade han
    hans har hon hur i icke in inte jag kan kunde man med mellan men mig min mot mycket många när någon något ni nu och om oss på sedan sig sin
    sitt sina ska skulle som så till under upp ut vad var varför varje vars vart vem vems vi vid vilka vilken vilket är över åt heter kallas
    betyder länge
  `,
  // da
  `
    af alle at blev blive bliver da de dem den denne der deres det dette dig din dog du efter eller en end er et for fra gør ham han hans har
    havde hende her hos hun hvad hvem hvilke hvilken hvilket hvis hvor hvordan hvorfor hvornår hvorhen i ikke ind jeg jer kan kunne lang længe
    mange med meget mellem men mig min mit mod ned noget nogle nu når og også om op os over på sig sin skal skulle som sådan til ud under var
    ved vi vil ville være været hedder kaldes betyder hva hver ble blir etter noen noe vært heter ei eit
  `,
  // fi
  `
    ei eivät en entä että hän he häntä ja jo joka jonka jossa jos jotka kanssa koska kuin kuinka kuka ketkä ketä kenen keneltä kenelle mihin
    mikä mikäli mille milloin millainen millaisia miltä minkä minun minä missä mistä miten mitkä mitä miksi montako moni monta monella mutta
    mukaan myös ne niiden niin noin nyt ole oli olivat olla olleet ollut on onko ovat paljon pitkä se sekä sen siitä sinä sitä tai tämä tämän te
    tuo vai vain voi voivat vuonna
  `,
  // pl
  `
    a aby albo ale ani az bez bo był była było były być ci co czego czemu czy czyj czyja czyje czym dla dlaczego dlatego do go gdy gdzie i ich
    ile ilu im innych ja jak jaka jakie jaki jakich jakiego jakim jakiej jako je jego jej jest jeśli już każdy kiedy kim kogo komu która które
    którego której który których którym którzy kto lub ma mają mi między może mogą my na nad nazywa nie nich nim niż o od on ona oni ono oraz po
    pod podczas ponieważ przed przez przy są się skąd swoje ta tak także tam te tego tej temu ten to tu tym tylko w we wiele wszystkie z za ze
    został została zostały że długo dokąd
  `,
  // cs
  `
    a aby ale ani asi až bez bude by byl byla byli bylo být co což čeho čem či do ho i já jak jaká jaké jaký jakých jakou jako je jeho jejich
    její jen jenž ještě ji jsem jsou k kam kde kdo kdy když ke kolik která které kterého který kterých kteří kterou komu ma má mají mezi mi může
    na nad ne nebo nebyl než o od ode on ona oni po pod podle pro proč protože před při s se si sloužit slouží svůj ta tak také ten tento to
    toho tom tomu tu ty u v ve však z za ze že čo ako aký aká aké prečo kedy kto koľko sú bol bola bolo
  `,
  // hu
  `
    a az abban ahhoz aki akik akkor alatt általában amely amelyek ami amikor át be csak de e egy egyes egyik el én ennek és ez ezek ezt fel hány
    hányan hol hogy hogyan hova honnan ha is itt ki kik kinek kit kivel között le lehet lesz meg még mely melyik melyek mennyi mennyire meddig
    mi miért mik milyen mikor mit mivel miben minden mint most nagyon nem nincs ő ők után olyan ott pedig s se sem során szerint szolgál talán
    te tehát több úgy vagy van vannak volt voltak
  `,
  // ro
  `
    a acea acest aceasta această aceste acestea al ale am ar are asta au avea avut ca că care căror cărui cât câtă câte câți ce cel cea cei cele
    cine cu cui cum când dar de decât despre din dintre după e ea ei el ele era erau este eu fi fost în înainte între îi îl la le lor lui mai
    mult mulți ne nu o ori pe pentru până poate pot prin s sa să sale sau se și sub sunt un unde unei unui unor va vor
  `,
  // tr
  `
    acaba ama ancak arasında aynı az bazı ben bir biri birkaç biz böyle bu buna bunda bundan bunlar bunu bunun çok çünkü da daha de defa değil
    diye eden ederek edildi eğer en gibi göre hangi hangileri hangisi hani hem hep her için ile ilk ise kaç kaçı kaçıncı kadar kez ki kim kimdir
    kimden kime kimi kimin kimler kimleri kimlerin mı mi mu mü mıdır midir mudur müdür mıydı nasıl nasıldır ne neden nedir nedenle neye neyi
    neyin neler nelerdir nere nerede nerededir nereden neresi neresidir nereye niçin niye o olan olarak oldu olduğu olmak olması olur on ona
    onlar onun oysa sen siz son sonra şey şu tüm üzere üzerinde var vardı vardır ve veya ya yani yapar yapılan yapmak yaptı yok zaman tane yılda
    hangisidir kimdi neydi idi ediyor olmuştur etmiştir edilir denir
  `,
  // ru
  `
    а без более больше будет бы был была были было быть в вам вас весь во вот все всего всех всё вы где да даже для до его ее её если есть еще
    ещё же за здесь и из или им их к каждый как какая какие каким какими каких какого какое какой какую каком какому когда кого ком кому которая
    которое которой которого которые который которых кто куда ли между меня мне много может могут мой мы на над нас не него нее нет ни них но ну
    о об один она они оно от откуда по под почему при с сам свою себя сейчас сколько со стал так такие такой там те тем то тоже того только том
    ты у уже чего чей чем чём что чтобы чья чьё эта эти это этого этой этом этот я зачем называется является служит означает долго
  `,
  // uk
  `
    а або але без був була були було бути в вже вам вас ви від він вона вони все всі де для до є же за з зі і із й його її їх коли кого кому які
    який яка яке яких якого якій яким якої якому якщо кожен куди ми між мені може на над не ні ній ними о об один по під при про скільки та так
    такий там те ти тим то того тому у хто це ця цей цього чи чий чим чого чому що щоб я як звідки навіщо
  `,
  // el
  `
    αλλά αν αντί από αυτά αυτές αυτή αυτό αυτοί αυτός αυτού γιατί για δε δεν εάν είναι εκεί ένα ένας έχει έχουν ή ήταν η θα και κάθε κατά με
    μετά μέσω μεταξύ μη μην μια μία να ο οι όμως όπως όταν ότι ου όχι παρά πιο ποια ποιά ποιες ποιο ποιό ποιοι ποιον ποιος ποιός ποιους που πού
    πόσα πόσες πόση πόσο πόσοι πόσος πότε πριν προς πως πώς σε σαν στα στη στην στις στο στον στους τα τη την της τι τις το τον του τους των ως
  `,
  // ar
  `
    أن إن أو أي أين إلى التي الذي الذين ألا أم أما أنا أنت أنه به بين بها تم ثم حتى حول حين خلال ذلك سوف على عليه عليها عن عند عنها غير فإن في
    فيه فيها قبل قد كان كانت كل كم كما كيف لا لدى لذلك لقد لم لماذا لن له لها ليس ما ماذا متى مثل مع من منذ منه منها نحن هذا هذه هل هم هنا هو هي
    و وقد ولا ومن يتم يكون
  `,
  // he
  `
    אבל או איזה איזו אילו איך אין איפה אל אם אני את אתה בין גם האם הוא היא היה היו היתה הם הן הזה זאת זה זו חלק יש כדי כי כל כמה כמו לא לאן לכן
    למה לפי מאיפה מה מדוע מהו מהי מי מן מתי נגד עד על עם רק של שלה שלהם שלו תחת
  `,
  // fa
  `
    آن آیا از است اگر اما ای این با باید بر برای بود بودند به تا چرا چطور چقدر چگونه چند چه چیست خود در دارد دارند را شد شده شود کدام کجا کرد
    کرده کردن که کی کیست ما می نیز ها های هر هم همه و وی یا یک
  `,
  // hi
  `
    अपना अपने अब आप इस इसके इन इसे उन उनके उस उसके एक एवं ऐसे और कब कहाँ कहां का कि कितना कितनी कितने किन किस किसका किसकी किसके किसने किसे की के
    को कोई कौन कौनसा कौनसी क्या क्यों कैसे जब जो तक तथा तो था थी थे द्वारा नहीं ने पर भी में यह यहाँ या ये रहा रहे वह वाले वे सकता साथ से हुआ
    हुई है हैं हो होता होती होते
  `,
  // id
  `
    ada adalah agar akan apa apakah atau bagaimana bagi bahwa banyak berapa bisa dalam dan dapat dari daripada dengan di dia hanya harus ia ini
    itu jika juga kapan karena kata ke kenapa kepada lebih manakah mana mengapa mereka oleh pada para saat saja sama sangat sebagai sebuah
    secara sedang sejak seperti siapa siapakah suatu sudah telah tentang tersebut tidak untuk yaitu yang
  `,
  // vi
  `
    ai bao bằng bị bởi các cái cho chứ có còn của cùng cũng đã đang đâu đây để đến đều điều do được đó gì giữa hay hơn không khi là lại làm lúc
    lên mà mấy mỗi một này năm nào nên nếu ngoài người nhiều như những nó ở phải qua ra rất rằng sao sau sẽ tại thế theo thì thuộc trên trong
    trước từ và vào vẫn về vì với vậy
  `,
];

/** Words that ask for a number or a date. */
const QUANTITY = `
  when many much long far often wann viele viel lange lang wieviel wieviele quand combien cuándo cuánto cuánta cuántos cuántas quando quanto
  quanta quanti quante quantos quantas wanneer hoeveel hoelang när många mycket länge hvornår mange längre når milloin montako moni monta
  kuinka kiedy ile ilu kdy kolik kedy koľko mikor hány mennyi hányan când cât câtă câte câți kaç zaman когда сколько долго коли скільки πότε
  πόσα πόσο πόσοι πόσες متى كم מתי כמה کی چند कब कितने कितना कितनी kapan berapa mấy
`;

/** The same in scripts without spaces. */
const DENSE_QUANTITY =
  /多少|[几幾]|[何哪][时時年天日]|什么时候|什麼時候|多[久长長高远遠]|いつ|いくつ|いくら|何[年月日人個分回]|언제|몇|얼마|เมื่อไ|เท่าไ|กี่/;

/** Characters that hardly any name or thing is written with: a pair with one of them is grammar. */
const DENSE_GRAMMAR =
  /[\p{sc=Hiragana}与且並个为么之也了于些什从他们但何你個們其几到又及叫吗吧呢和哪啊問嗎在地多她它对将將對少就并幾很得從怎我或把於是更最有样樣此為由的着称稱而與著被該誰請该请谁过还这這過還那都问麼]/u;
/** Pairs of grammar in Hangul and Thai. */
const DENSE_PAIRS =
  /^(?:무엇|언제|어디|누구|누가|얼마|어떤|어느|인가|입니|니까|니다|있는|하는|했는|는가|습니|나요|까요|되는|이란|อะ|ะไ|ไร|ที่ไ|เมื่|ใค|คร|กี่)$/u;

const split = (list: string): ReadonlySet<string> =>
  new Set(
    list
      .trim()
      .split(/\s+/)
      .map((word) => foldLatin(word)),
  );

/** The tables by folded words, made when the first question comes. */
let tables: {
  readonly grammar: readonly ReadonlySet<string>[];
  readonly quantity: ReadonlySet<string>;
} | null = null;

/**
 * Returns the words, folded, that are grammar in the language of a question: the one with the most of its words, or each of several with as
 * many, because "war" is grammar in German and none in English.
 */
function grammarIn(words: readonly string[]): ReadonlySet<string> {
  const { grammar } = (tables ??= { grammar: GRAMMAR.map(split), quantity: split(QUANTITY) });
  const counts = grammar.map((list) => words.filter((word) => list.has(word)).length);
  const most = Math.max(...counts);
  return new Set(
    grammar.flatMap((list, at) => (counts[at] === most ? words.filter((word) => list.has(word)) : [])),
  );
}

/** A word of a query: for scripts without spaces, a pair of characters. */
export interface QueryWord {
  readonly text: string;
  readonly terms: readonly string[];
  /** True for a word of grammar or of questions, which says nothing of what is looked for. */
  readonly isGrammar: boolean;
  /** True for a word with a digit, or with a capital that begins no sentence. */
  readonly isNamed: boolean;
}

/** Returns the words of a query in order. */
export function queryWords(query: string, analyser: Analyser): QueryWord[] {
  const words: { text: string; folded: string; isNamed: boolean }[] = [];
  eachWord(query, (from, to) => {
    const text = query.slice(from, to);
    const begins = /(?:^|[.!?]\s+)[\p{P}\s]*$/u.test(query.slice(Math.max(0, from - 8), from));
    const isNamed = /\p{N}/u.test(text) || (!begins && /^\p{Lu}/u.test(text));
    words.push({ text, folded: foldLatin(text.toLowerCase()), isNamed });
  });
  const grammar = grammarIn(words.map(({ folded }) => folded));
  return words.map(({ text, folded, isNamed }) => {
    const terms = analyser.terms(text);
    return { text, terms, isNamed, isGrammar: grammar.has(folded) || terms.every(isFiller) };
  });
}

/** Returns true for a term without information. The list of stop words has only one form of some verbs: "wants". */
function isFiller(term: string): boolean {
  if (isPaired(term)) return DENSE_GRAMMAR.test(term) || DENSE_PAIRS.test(term);
  return isStopWord(term) || isStopWord(`${term}s`);
}

/** Returns true for a question that a number or a date answers: "When …", "Wie viele …". */
export function asksForNumber(question: string): boolean {
  const { quantity } = (tables ??= { grammar: GRAMMAR.map(split), quantity: split(QUANTITY) });
  const words = foldLatin(question.toLowerCase()).match(/[\p{L}\p{M}]+/gu) ?? [];
  return words.some((word) => quantity.has(word)) || DENSE_QUANTITY.test(question);
}
