import { answerNotes } from '../../core/answer/answer-notes';
import { limitField } from '../../core/fields';
import { ingestTool } from '../../core/ingest/ingest-tool';
import { capture } from '../../core/notes/capture';
import { editRoot } from '../../core/notes/edit-root';
import { getNote } from '../../core/notes/get-note';
import { history } from '../../core/notes/history';
import { indexWings } from '../../core/notes/index-wings';
import { updateNote } from '../../core/notes/update-note';
import { writeNote } from '../../core/notes/write-note';
import { listPending } from '../../core/review/list-pending';
import { promoteNote } from '../../core/review/promote-note';
import { rejectNote } from '../../core/review/reject-note';
import { queryNotes } from '../../core/search/query-notes';
import { logOneSession } from '../../core/sessions/log-session';
import { defineTool, type Tool } from './tool';

/** A page of the queue for a model: a whole queue would fill its context. */
const PENDING_PAGE = 20;

/**
 * The tools of the specification (part 4) and the ones that make its promote and update reachable, in a fixed order,
 * because clients cache by it. Deleting and moving notes is left to people.
 */
export const TOOLS: readonly Tool[] = [
  defineTool({
    name: 'brain_write',
    title: 'Write a note',
    description:
      'Saves a new note under a wing and a hall. Call it when you have learnt something that will matter again and brain_query finds no note of it; to change an existing note use brain_update. Returns path, content_hash and the links that led nowhere (unlinked).',
    operation: writeNote,
    fields: {
      wing: 'Topic, a free name such as homelab',
      hall: '',
      slug: 'File name without .md; else from the title',
      content: 'Markdown, starting with a # title',
      source_type: '',
      half_life: 'Ageing; needs claim_provenance',
      applies: 'Reach; needs claim_provenance',
      claim_provenance: '',
      overwrite: 'Replace this note; its old version is kept',
    },
    required: ['wing', 'hall'],
    core: true,
    destructive: true,
    alwaysLoad: true,
  }),
  defineTool({
    name: 'brain_query',
    title: 'Search notes',
    description:
      'Searches the notes. Call it before you answer a question about the user, their projects or past decisions, and before you write. Returns ranked notes with path, excerpt and who wrote them; brain_get reads one in full.',
    operation: queryNotes,
    fields: {
      query: 'Words or a question; "quoted" words must occur together',
      wing: '',
      hall: '',
      limit: '',
      include_raw: 'Also unreviewed',
      source_type: '',
      written_by: '',
      origin: '',
      status: '',
      not_stale: '',
    },
    core: true,
    alwaysLoad: true,
  }),
  defineTool({
    name: 'brain_answer',
    title: 'Answer from notes',
    description:
      'Answers a question from the notes alone, with checked quotes. Call it for one fact that several notes may share. Returns the answer with [n] and citations, or null when no note covers it.',
    operation: answerNotes,
    fields: { query: '', wing: '', hall: '', limit: '' },
    core: true,
    readsNotes: true,
    asksModel: true,
  }),
  defineTool({
    name: 'brain_index',
    title: 'Rebuild wing indexes',
    description:
      'Rebuilds the _index.md of one wing, or of all. Call it only when an index looks out of date; writing keeps it right. Returns each wing and its number of notes.',
    operation: indexWings,
    fields: { wing: '' },
    core: true,
    idempotent: true,
  }),
  defineTool({
    name: 'brain_get',
    title: 'Read a note',
    description:
      'Reads one note, named by path, by wing, hall and slug, or by the hash of a version. Call it when an excerpt is not enough, and before you update a note. Returns front matter, body, content_hash, who wrote it and its links; a long body goes on at next_offset.',
    operation: getNote,
    fields: {
      path: 'Such as wiki/homelab/facts/mtu.md',
      wing: '',
      hall: '',
      slug: '',
      hash: '',
      max_chars: '',
      offset: '',
    },
    core: true,
    readsNotes: true,
  }),
  defineTool({
    name: 'brain_reject',
    title: 'Reject a queued note',
    description:
      'Declines a note of the review queue, which then moves to raw/rejected/. Call it only when the user decided so. Returns its new path.',
    operation: rejectNote,
    fields: { path: 'From brain_pending', reason: '' },
    core: true,
    destructive: true,
    idempotent: true,
  }),
  defineTool({
    name: 'brain_edit_root',
    title: 'Edit the root note',
    description:
      'Replaces the root note (AGENTS.md), which guides every agent here. Call it only when the user asks: read it with brain_get first and send its content_hash as expected_hash. Returns the new hash.',
    operation: editRoot,
    fields: {
      content: 'The whole new text',
      reason: '',
      expected_hash: '',
    },
    core: true,
    destructive: true,
    idempotent: true,
  }),
  defineTool({
    name: 'capture',
    title: 'Capture a thought',
    description:
      'Saves a text at once; wing, hall and name are chosen for you unless given; nothing is overwritten. Call it when a text is worth keeping and you do not know where it belongs. Returns what brain_write returns.',
    operation: capture,
    fields: { text: 'Markdown', wing: '', hall: '', title: '', tags: '', source: 'URL or label' },
    core: true,
  }),
  defineTool({
    name: 'brain_update',
    title: 'Update a note',
    description:
      'Replaces the body of an existing note, named by path or by wing, hall and slug; its front matter and history are kept. Call it when a note is wrong or incomplete: read it with brain_get first and send its content_hash as expected_hash. Never creates a note.',
    operation: updateNote,
    fields: {
      path: '',
      wing: '',
      hall: '',
      slug: '',
      content: 'The whole new body',
      reason: 'Why, in a few words',
      expected_hash: '',
      half_life: '',
      applies: '',
      claim_provenance: '',
    },
    destructive: true,
    idempotent: true,
  }),
  defineTool({
    name: 'brain_promote',
    title: 'Promote a queued note',
    description:
      'Moves a note of the review queue into the wiki. Call it only when the user approved the note and its address. Returns the new path and what it was linked with.',
    operation: promoteNote,
    fields: { path: 'From brain_pending', wing: '', hall: '', slug: '' },
    required: ['path'],
  }),
  defineTool({
    name: 'brain_pending',
    title: 'List the review queue',
    description:
      'Lists the notes that await review, oldest first. Call it when the user wants to review. Returns each with excerpt, provenance, suggested address and similar notes.',
    operation: listPending,
    fields: { limit: '', offset: '' },
    replaced: { limit: limitField(200, PENDING_PAGE) },
  }),
  defineTool({
    name: 'brain_ingest',
    title: 'Ingest a text or file',
    description:
      'Turns a long text, or a file or folder in inbox/, into notes that await review. Call it for documents; for one thought use brain_write. Returns the pages, or a job to ask for again.',
    operation: ingestTool,
    fields: {
      text: '',
      path: 'Such as inbox/report.pdf',
      job: '',
      title: '',
      source: '',
      wing: '',
      hall: '',
      destination: '',
    },
    idempotent: true,
    asksModel: true,
    converts: true,
    describeAnswer: false,
  }),
  defineTool({
    name: 'brain_history',
    title: 'Read note history',
    description:
      'Lists the versions of a note (path), or reads one version whole (hash). Call it to learn what a note said before, or who changed it and why.',
    operation: history,
    fields: { path: '', hash: '' },
    readsNotes: true,
    describeAnswer: false,
  }),
  defineTool({
    name: 'brain_log_session',
    title: 'Log a session',
    description:
      'Records how a skill ended, for the pass rates. Call it once after a task with a named skill. Returns file and line of the record.',
    operation: logOneSession,
    fields: {
      skill: '',
      status: 'pass, fail or skip',
      summary: '',
      error: '',
      session_id: '',
      agent: '',
      model: '',
      duration_ms: '',
      timestamp: 'RFC 3339; now if absent',
      notes: 'Paths of notes used',
    },
  }),
];
