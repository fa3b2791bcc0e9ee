'use client';

import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';

import type { MemberOnWire } from '@/lib/contract/access-answers';

import type { Person } from '../access/admin-gate';
import { TimeText } from '../access/coarse-time';
import { StateGlyph } from '../lease/state-glyph';
import { Button } from '../ui/button';
import { CutText } from '../ui/cut-text';
import { HiddenCharactersMark } from '../ui/hidden-characters';
import { plainText } from '../ui/plain-text';
import { useTimes } from '../ui/use-times';
import { isLastAdmin } from './last-admin';
import type { MemberQuestions } from './use-member-dialogs';

interface MembersTableProps {
  readonly members: readonly MemberOnWire[];
  readonly me: Person;
  readonly questions: MemberQuestions;
}

const columns = [
  ['person', 'lg:ps-5'],
  ['role', 'w-44'],
  ['signsIn', 'w-52'],
  ['since', 'w-36'],
] as const;

const headClass =
  'h-9 border-b border-hair bg-ground px-2 text-start align-middle text-meta font-strong text-dim';
const cellClass = 'min-w-0 align-middle lg:border-b lg:border-hair lg:px-2 lg:py-1.5';

/** A real table; on narrow screens its rows are stacked, and the roles keep their cells a table's. */
export function MembersTable({ members, me, questions }: MembersTableProps) {
  const t = useTranslations('members');
  return (
    <table
      role="table"
      aria-label={t('title')}
      className="w-full border-separate border-spacing-0 text-cell max-lg:block lg:table-fixed"
    >
      <thead role="rowgroup" className="max-lg:sr-only lg:sticky lg:top-11 lg:z-10">
        <tr role="row">
          {columns.map(([name, width]) => (
            <th key={name} role="columnheader" scope="col" className={`${headClass} ${width}`}>
              {t(`column.${name}`)}
            </th>
          ))}
          <th role="columnheader" scope="col" className={`${headClass} w-80`}>
            <span className="sr-only">{t('column.actions')}</span>
          </th>
        </tr>
      </thead>
      <tbody role="rowgroup" className="max-lg:block max-lg:border-t max-lg:border-hair">
        {members.map((member) => (
          <MemberRow
            key={member.id}
            member={member}
            isMe={member.id === me.id}
            isLast={isLastAdmin(member, members)}
            questions={questions}
          />
        ))}
      </tbody>
    </table>
  );
}

interface MemberRowProps {
  readonly member: MemberOnWire;
  readonly isMe: boolean;
  readonly isLast: boolean;
  readonly questions: MemberQuestions;
}

function MemberRow({ member, isMe, isLast, questions }: MemberRowProps) {
  const t = useTranslations('members');
  const tRole = useTranslations('roles');
  const times = useTimes();
  return (
    <tr
      role="row"
      data-member={member.email}
      className="bg-surface max-lg:grid max-lg:grid-cols-[minmax(0,1fr)_auto] max-lg:gap-x-4 max-lg:gap-y-1 max-lg:border-b max-lg:border-hair max-lg:px-3 max-lg:py-3 max-lg:sm:px-5 lg:h-13"
    >
      <PersonCell member={member} isMe={isMe} />
      <td role="cell" className={`${cellClass} max-lg:text-end`}>
        {tRole(`name.${member.role}`)}
        {isLast && <span className="block text-meta text-dim">{t('lastAdmin')}</span>}
      </td>
      <td role="cell" className={`${cellClass} max-lg:col-span-2`}>
        <SignsIn member={member} />
      </td>
      <td role="cell" className={`${cellClass} max-lg:col-span-2`}>
        <span aria-hidden="true" className="me-1.5 text-dim lg:hidden">
          {t('column.since')}
        </span>
        <TimeText at={member.created_at}>{times.day(Date.parse(member.created_at))}</TimeText>
      </td>
      <ActionsCell member={member} questions={questions} />
    </tr>
  );
}

function PersonCell({ member, isMe }: Pick<MemberRowProps, 'member' | 'isMe'>) {
  const t = useTranslations('members');
  return (
    <th
      role="rowheader"
      scope="row"
      className={`${cellClass} text-start font-normal lg:ps-5 [&_bdi]:font-sans`}
    >
      <span className="flex min-w-0 items-baseline gap-2 font-strong">
        <CutText text={member.name} />
        <HiddenCharactersMark text={member.name} />
        {isMe && (
          <span className="shrink-0 rounded-control border border-control px-1.5 text-meta font-normal">
            {t('you')}
          </span>
        )}
      </span>
      <span className="flex min-w-0 text-dim">
        <CutText text={member.email} />
      </span>
    </th>
  );
}

/** How they sign in; whoever has only been invited can't yet. */
function SignsIn({ member }: { readonly member: MemberOnWire }) {
  const t = useTranslations('members');
  const isInvited = member.state === 'invited';
  const ways = member.signs_in_by.map((way) => t(`way.${way}`)).join(', ');
  return (
    <span className={`inline-flex items-center gap-1.5 ${isInvited ? 'text-amber' : ''}`}>
      <StateGlyph name={isInvited ? 'expired' : 'held'} />
      <span data-member-state={member.state}>{isInvited ? t('invited') : ways}</span>
    </span>
  );
}

function ActionsCell({ member, questions }: Pick<MemberRowProps, 'member' | 'questions'>) {
  const t = useTranslations('members');
  const name = plainText(member.email);
  return (
    <td role="cell" className={`${cellClass} max-lg:col-span-2 lg:pe-5 lg:text-end`}>
      <span className="inline-flex flex-wrap gap-2 max-lg:pt-1">
        {(['role', 'link'] as const).map((question) => (
          <Asking
            key={question}
            onClick={() => questions.ask(question, member)}
            name={t(`${question}Named`, { name })}
          >
            {t(question)}
          </Asking>
        ))}
        <span className="ms-2">
          <Asking onClick={() => questions.ask('remove', member)} name={t('removeNamed', { name })}>
            {t('remove')}
          </Asking>
        </span>
      </span>
    </td>
  );
}

interface AskingProps {
  readonly name: string;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

function Asking({ name, onClick, children }: AskingProps) {
  return (
    <Button size="small" aria-haspopup="dialog" aria-label={name} onClick={onClick}>
      {children}
    </Button>
  );
}
