import { CHATGPT } from './chatgpt.sample';
import { CLAUDE } from './claude.sample';
import { DAY_ONE } from './day-one.sample';
import { JOPLIN } from './joplin.sample';
import { KEEP } from './keep.sample';
import { ROAM } from './roam.sample';
import { SLACK } from './slack.sample';
import type { Files } from './support';
import { TRELLO } from './trello.sample';

/** What a note of a sample must keep. */
export type Kept = 'title' | 'created' | 'modified' | 'tags' | 'links' | 'attachments' | 'tasks' | 'tables';

export interface Sample {
  readonly files: Files;
  /** What the format has. */
  readonly has: readonly Kept[];
}

/** All that a note may keep. */
export const ALL: readonly Kept[] = [
  'title',
  'created',
  'modified',
  'tags',
  'links',
  'attachments',
  'tasks',
  'tables',
];

/** A sample of each export, true to its format. Each has at least two notes. */
export const SAMPLES: Readonly<Record<string, Sample>> = {
  'Google Keep': {
    has: ['title', 'created', 'modified', 'tags', 'links', 'attachments', 'tasks'],
    files: KEEP,
  },
  Joplin: { has: ALL, files: JOPLIN },
  'Roam Research': {
    has: ['title', 'created', 'modified', 'tags', 'links', 'tasks', 'tables'],
    files: ROAM,
  },
  ChatGPT: {
    has: ['title', 'created', 'modified', 'links', 'attachments', 'tables'],
    files: CHATGPT,
  },
  Claude: { has: ['title', 'created', 'modified', 'links', 'tasks'], files: CLAUDE },
  'Day One': { has: ALL, files: DAY_ONE },
  Slack: { has: ['title', 'created', 'modified', 'links'], files: SLACK },
  Trello: {
    has: ['title', 'created', 'modified', 'tags', 'links', 'tasks', 'tables'],
    files: TRELLO,
  },
  Simplenote: {
    has: ['title', 'created', 'modified', 'tags', 'links', 'tasks'],
    files: {
      'source/notes.json': {
        activeNotes: [
          {
            id: 'a1',
            content: 'Plan\r\n- [ ] buy *milk*\r\nsee [Other](simplenote://note/b2) [x]',
            creationDate: '2020-01-02T03:04:05.678Z',
            lastModified: '2021-01-02T03:04:05.678Z',
            tags: ['home work'],
            pinned: true,
          },
          {
            id: 'b2',
            content: '# Other\n\n**bold**',
            creationDate: '2020-01-02T03:04:05.678Z',
            lastModified: '2021-01-02T03:04:05.678Z',
            markdown: true,
          },
        ],
        trashedNotes: [{ id: 'c3', content: 'Gone', creationDate: '2020-01-02T03:04:05.678Z' }],
      },
      'Plan.txt': 'Plan\n- [ ] buy *milk*\n\nTags:\n  home work',
      'other.txt': 'Not of Simplenote',
    },
  },
  'Standard Notes': {
    has: ['title', 'created', 'modified', 'tags', 'links', 'tasks', 'tables'],
    files: {
      'Items/Note/Plain-1234.txt': 'text',
      'Standard Notes Backup and Import File.txt': {
        version: '004',
        items: [
          {
            uuid: 'n1',
            content_type: 'Note',
            created_at: '2022-01-02T03:04:05.678Z',
            updated_at: '2022-02-02T03:04:05.678Z',
            content: {
              title: 'Plain',
              text: 'some *letters*',
              references: [],
              appData: {
                'org.standardnotes.sn': { client_updated_at: '2022-03-02T03:04:05.678Z', pinned: true },
              },
            },
          },
          {
            uuid: 'n2',
            content_type: 'Note',
            created_at: '2022-01-02T03:04:05.678Z',
            updated_at: '2022-02-02T03:04:05.678Z',
            content: {
              title: 'Super',
              noteType: 'super',
              references: [],
              text: JSON.stringify({
                root: {
                  type: 'root',
                  children: [
                    { type: 'heading', tag: 'h2', children: [{ type: 'text', text: 'Head', format: 0 }] },
                    {
                      type: 'paragraph',
                      children: [
                        { type: 'text', text: 'bold', format: 1 },
                        { type: 'text', text: ' and ', format: 0 },
                        {
                          type: 'link',
                          url: 'https://example.org',
                          children: [{ type: 'text', text: 'a page', format: 0 }],
                        },
                      ],
                    },
                    {
                      type: 'list',
                      listType: 'check',
                      children: [
                        { type: 'listitem', checked: true, children: [{ type: 'text', text: 'done' }] },
                        { type: 'listitem', children: [{ type: 'text', text: 'open' }] },
                      ],
                    },
                    {
                      type: 'table',
                      children: ['a', 'b'].map((row) => ({
                        type: 'tablerow',
                        children: ['1', '2'].map((column) => ({
                          type: 'tablecell',
                          children: [{ type: 'paragraph', children: [{ type: 'text', text: row + column }] }],
                        })),
                      })),
                    },
                  ],
                },
              }),
            },
          },
          {
            uuid: 't1',
            content_type: 'Tag',
            content: { title: 'my tag', references: [{ uuid: 'n1', content_type: 'Note' }] },
          },
        ],
      },
    },
  },
  'Browser bookmarks': {
    has: ['title', 'created', 'modified', 'tags', 'links'],
    files: {
      'bookmarks.html':
        '<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">\n<TITLE>Bookmarks</TITLE>\n<H1>Bookmarks</H1>\n<DL><p>\n<DT><H3 ADD_DATE="1600000000">Work &amp; Play</H3>\n<DL><p>\n<DT><A HREF="https://example.org/?a=1&amp;b=2" ADD_DATE="1600000000" TAGS="news,two words">An [example]</A>\n<DD>What it says\n<DT><H3>Deep</H3>\n<DL><p>\n<DT><A HREF="https://example.com/" ADD_DATE="1700000000">Com</A>\n</DL><p>\n</DL><p>\n<DT><A HREF="javascript:alert(1)">No page</A>\n</DL><p>\n',
    },
  },
  Pocket: {
    has: ['title', 'created', 'modified', 'tags', 'links'],
    files: {
      'part_000000.csv':
        'title,url,time_added,tags,status\n"A, page",https://example.org/a,1600000000,one|two words,unread\nB,https://example.org/b,1700000000,,archive\n',
      'ril_export.html':
        '<!DOCTYPE html>\n<html>\n<head><title>Pocket Export</title></head><body><h1>Unread</h1><ul><li><a href="https://example.org/c" time_added="1600000000" tags="x">C</a></li></ul><h1>Read Archive</h1><ul></ul></body></html>',
    },
  },
  Instapaper: {
    has: ['title', 'created', 'modified', 'tags', 'links'],
    files: {
      'instapaper.csv':
        'URL,Title,Selection,Folder,Timestamp,Tags\nhttps://example.org/a,A,"marked text",Unread,1600000000,"[""x""]"\nhttps://example.org/b,B,,Archive,1700000000,[]\n',
    },
  },
  Raindrop: {
    has: ['title', 'created', 'modified', 'tags', 'links'],
    files: {
      'raindrop.csv':
        'id,title,note,excerpt,url,folder,tags,created,cover,highlights,favorite\n1,A,my note,About,https://example.org/a,Read / Later,"x, two words",2023-01-02T03:04:05.678Z,,,false\n2,B,,,https://example.org/b,Unsorted,,2024-01-02T03:04:05.678Z,,,false\n',
    },
  },

  // The parts that the archive is taken apart into.
  Evernote: {
    has: ['title', 'created', 'modified', 'tags', 'links', 'tasks', 'tables'],
    files: {
      'notes/One.enml':
        '<note><title>One</title><created>20200102T030405Z</created><updated>20210102T030405Z</updated><tag>home</tag><note-attributes><source-url>https://example.org/</source-url></note-attributes><content><![CDATA[<en-note><div><en-todo checked="true"/>done</div><div><a href="https://example.org/">page</a></div><table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table></en-note>]]></content></note>',
      'notes/Two.enml':
        '<note><title>Two</title><created>20200102T030405Z</created><content><![CDATA[<en-note><div>text</div></en-note>]]></content></note>',
    },
  },
};
