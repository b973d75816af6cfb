import type { Files } from './support';

/** What a note of a sample must keep. */
export type Kept = 'title' | 'created' | 'modified' | 'tags' | 'links' | 'attachments' | 'tasks' | 'tables';

export interface Sample {
  readonly files: Files;
  /** What the format has. */
  readonly has: readonly Kept[];
}

/** Returns a file of Joplin. */
function joplin(id: string, title: string, body: string, meta: Readonly<Record<string, string>>): string {
  const lines = Object.entries({ id, ...meta }).map(([name, value]) => `${name}: ${value}`);
  return [title, ...(body === '' ? [] : ['', body]), '', lines.join('\n')].join('\n');
}

/** A sample of each export, true to its format. Each has at least two notes. */
export const SAMPLES: Readonly<Record<string, Sample>> = {
  'Google Keep': {
    has: ['title', 'created', 'modified', 'tags', 'links', 'attachments', 'tasks'],
    files: {
      'Takeout/Keep/Labels.txt': 'Home\nTwo words\n',
      'Takeout/Keep/Milk.html': '<html><body><div class="note">Milk</div></body></html>',
      'Takeout/Keep/Milk.json': {
        color: 'YELLOW',
        isTrashed: false,
        isPinned: true,
        isArchived: false,
        listContent: [
          { textHtml: '<p>Milk</p>', text: 'Milk', isChecked: true },
          { textHtml: '<p>*Bread*</p>', text: '*Bread*', isChecked: false },
        ],
        title: 'Shopping',
        userEditedTimestampUsec: 1700000000000000,
        createdTimestampUsec: 1600000000000000,
        labels: [{ name: 'Home' }, { name: 'Two words' }],
      },
      'Takeout/Keep/2021-03-04T05_06_07.json': {
        attachments: [{ filePath: 'abc.jpeg', mimetype: 'image/jpeg' }],
        color: 'DEFAULT',
        isTrashed: false,
        isPinned: false,
        isArchived: true,
        annotations: [
          { description: 'A page', source: 'WEBLINK', title: 'Example', url: 'https://example.org/a' },
        ],
        textContent: '# no heading\nsecond [[line]]',
        title: '',
        userEditedTimestampUsec: 1614834367000000,
        createdTimestampUsec: 1614834367000000,
      },
      'Takeout/Keep/abc.jpg': 'JPEG',
      'Takeout/Keep/Old.json': {
        isTrashed: true,
        isPinned: false,
        isArchived: false,
        textContent: 'gone',
        title: 'Old',
      },
    },
  },

  Joplin: {
    has: ['title', 'created', 'modified', 'tags', 'links', 'attachments', 'tasks'],
    files: {
      '11111111111111111111111111111111.md': joplin('11111111111111111111111111111111', 'Recipes', '', {
        type_: '2',
        parent_id: '',
      }),
      '22222222222222222222222222222222.md': joplin(
        '22222222222222222222222222222222',
        'Cake',
        'See [the soup](:/33333333333333333333333333333333) and ![p](:/44444444444444444444444444444444)\n\nA line: with a colon',
        {
          parent_id: '11111111111111111111111111111111',
          created_time: '2021-01-02T03:04:05.678Z',
          updated_time: '2022-01-02T03:04:05.678Z',
          user_created_time: '2020-01-02T03:04:05.678Z',
          user_updated_time: '2022-02-02T03:04:05.678Z',
          source_url: 'https://example.org/cake',
          is_todo: '0',
          latitude: '52.50000000',
          longitude: '13.40000000',
          type_: '1',
        },
      ),
      '33333333333333333333333333333333.md': joplin('33333333333333333333333333333333', 'Soup', 'Hot', {
        parent_id: '11111111111111111111111111111111',
        is_todo: '1',
        todo_due: '1700000000000',
        todo_completed: '1700000000001',
        latitude: '0.00000000',
        longitude: '0.00000000',
        type_: '1',
      }),
      '44444444444444444444444444444444.md': joplin('44444444444444444444444444444444', 'photo.png', '', {
        mime: 'image/png',
        type_: '4',
      }),
      '55555555555555555555555555555555.md': joplin('55555555555555555555555555555555', 'sweet', '', {
        type_: '5',
      }),
      '66666666666666666666666666666666.md':
        'id: 66666666666666666666666666666666\nnote_id: 22222222222222222222222222222222\ntag_id: 55555555555555555555555555555555\ntype_: 6',
      'resources/44444444444444444444444444444444.png': 'PNG',
    },
  },
  'Roam Research': {
    has: ['title', 'created', 'modified', 'links', 'tasks'],
    files: {
      'graph.json': [
        {
          title: 'January 5th, 2024',
          uid: '01-05-2024',
          'create-time': 1704412800000,
          'edit-time': 1704412900000,
          children: [
            {
              string: '{{[[TODO]]}} call [[Ann/Work]] about #[[Two words]]',
              uid: 'aaaaaaaaa',
              'create-time': 1704412800000,
            },
            { string: 'see ((bbb_bbbbb)) and {{[[embed]]: ((bbb_bbbbb))}}', uid: 'ccccccccc' },
          ],
        },
        {
          title: 'Ann/Work',
          'edit-time': 1704412800000,
          children: [
            { string: 'Role:: Engineer', uid: 'ddddddddd' },
            {
              string: 'Projects',
              uid: 'eeeeeeeee',
              heading: 2,
              children: [{ string: '__one__ ^^two^^ `((bbb_bbbbb))`', uid: 'bbb_bbbbb' }],
            },
          ],
        },
      ],
    },
  },

  ChatGPT: {
    has: ['title', 'created', 'modified'],
    files: {
      'conversations.json': ['One', 'Two'].map((title) => ({
        title,
        create_time: 1700000000,
        update_time: 1700000100,
        current_node: 'b',
        mapping: {
          a: { id: 'a', message: null, parent: null, children: ['b'] },
          b: {
            id: 'b',
            parent: 'a',
            children: [],
            message: {
              author: { role: 'user' },
              create_time: 1700000000,
              content: { content_type: 'text', parts: ['Hello'] },
            },
          },
        },
      })),
      'user.json': { id: 'u', email: 'a@example.org' },
    },
  },
  Claude: {
    has: ['title', 'created', 'modified'],
    files: {
      'conversations.json': ['One', 'Two'].map((name, at) => ({
        uuid: `c${at}`,
        name,
        created_at: '2024-01-02T03:04:05.678901Z',
        updated_at: '2024-01-03T03:04:05.678901Z',
        account: { uuid: 'u' },
        chat_messages: [
          {
            uuid: 'm',
            text: 'Hello',
            content: [{ type: 'text', text: 'Hello' }],
            sender: 'human',
            created_at: '2024-01-02T03:04:05.678901Z',
            attachments: [],
            files: [],
          },
        ],
      })),
      'users.json': [{ uuid: 'u', full_name: 'A' }],
    },
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
