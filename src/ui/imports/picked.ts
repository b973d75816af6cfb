import { fileName, stemOf } from '../../core/vocabulary/paths';

/** A file that a person has chosen, at its place below what was chosen. */
export interface PickedFile {
  readonly place: string;
  readonly file: Blob;
}

/** What a person has chosen or dropped to be imported. */
export interface Picked {
  /** The name that it suggests for the import. */
  readonly name: string;
  readonly source: string;
  readonly files: readonly PickedFile[];
  readonly bytes: number;
}

/**
 * Returns the choice that files make. A single folder gives its name, and its files lie at their places in it. Hidden files and
 * those in hidden folders are left out. Returns null when nothing is left.
 */
export function pickedOf(all: readonly PickedFile[]): Picked | null {
  const files = all.filter(({ place }) => !place.split('/').some((name) => name.startsWith('.')));
  const [first] = files;
  if (first === undefined) return null;
  const bytes = files.reduce((sum, { file }) => sum + file.size, 0);
  const [top = ''] = first.place.split('/');
  if (files.every(({ place }) => place.startsWith(`${top}/`))) {
    const inside = files.map(({ place, file }) => ({ place: place.slice(top.length + 1), file }));
    return { name: top, source: top, files: inside, bytes };
  }
  if (files.length === 1) return { name: stemOf(fileName(top)), source: top, files, bytes };
  return { name: 'notes', source: `${top} and ${files.length - 1} more`, files, bytes };
}

/** Returns the files of a chooser; those of a chosen folder have a path that begins with its name. */
export function chosenFiles(list: FileList | null): PickedFile[] {
  return [...(list ?? [])].map((file) => ({
    place: file.webkitRelativePath === '' ? file.name : file.webkitRelativePath,
    file,
  }));
}

/**
 * Resolves with the dropped files, and with all files of dropped folders.
 * @throws DOMException when a folder cannot be read
 */
export async function droppedFiles(data: DataTransfer): Promise<PickedFile[]> {
  // The items are readable only during the event, and their entries later too.
  const items = [...data.items].filter(({ kind }) => kind === 'file');
  const dropped = items.map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  const files: PickedFile[] = [];
  const walk = async (folder: FileSystemDirectoryEntry, place: string): Promise<void> => {
    const reader = folder.createReader();
    for (;;) {
      // A reader gives some entries at a time, and at last none.
      const entries = await new Promise<FileSystemEntry[]>((resolve, reject) =>
        reader.readEntries(resolve, reject),
      );
      if (entries.length === 0) return;
      for (const entry of entries) {
        const at = `${place}/${entry.name}`;
        if (isFolder(entry)) await walk(entry, at);
        else if (isFile(entry)) {
          const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
          files.push({ place: at, file });
        }
      }
    }
  };
  for (const { entry, file } of dropped) {
    if (entry !== null && isFolder(entry)) await walk(entry, entry.name);
    else if (file !== null) files.push({ place: file.name, file });
  }
  return files;
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}
