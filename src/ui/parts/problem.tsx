import type { ComponentChildren } from 'preact';
import type { CallError } from '../client';
import { Icon } from './icon';
import { Notice } from './notice';

/** What is wrong with a field, below it, in place of its help. Announced at once. */
export function Problem({ id, children }: { readonly id?: string; readonly children: ComponentChildren }) {
  return (
    <div id={id} role="alert" class="brain-problem">
      <Icon name="circle-alert" />
      <span>{children}</span>
    </div>
  );
}

/** A call that failed in a way that no field explains: what the service said, and the number that its log knows. */
export function FailureNotice(props: { readonly error: CallError; readonly children?: ComponentChildren }) {
  const { error, children } = props;
  return (
    <Notice tone="red">
      {failureWords(error)} {error.requestId !== undefined && <>Request {error.requestId}. </>}
      {children}
    </Notice>
  );
}

/** The sentence for a failed call. */
export function failureWords(error: CallError): string {
  return error.code === 'unreachable' ? 'The server does not answer. Nothing was changed.' : error.message;
}
