'use client';

import { useId, useState } from 'react';
import { useTranslations } from 'use-intl';

import { roles, type Role } from '@/lib/contract/access';
import type { MemberOnWire } from '@/lib/contract/access-answers';
import { changeRoleOptions } from '@/lib/queries/members';

import { useSendOnce } from '../ui/use-send-once';
import { MemberDialog, type MemberQuestionProps } from './member-dialog';

interface RoleDialogProps extends MemberQuestionProps {
  readonly onDone: (member: MemberOnWire) => void;
}

export function RoleDialog(props: RoleDialogProps) {
  const { member, isMe, isLast, onClose, onSettled, onDone } = props;
  const t = useTranslations('members');
  const [role, setRole] = useState<Role>(member.role);
  const change = useSendOnce(changeRoleOptions, {
    onAnswer(changed) {
      onSettled();
      onDone(changed);
    },
    onRefused: onSettled,
  });
  const isRefusedAsLast = change.error?.code === 'last-admin';
  return (
    <MemberDialog
      title={t('roleTitle')}
      member={member}
      act={t('changeRole')}
      acting={t('changing')}
      kind="primary"
      isSending={change.isSending}
      impossible={isLast || isRefusedAsLast ? t('lastAdminText') : null}
      error={change.error}
      onClose={onClose}
      onAct={role === member.role ? null : () => change.send({ id: member.id, role })}
    >
      <RoleField role={role} onRole={setRole} />
      {member.signs_in_by.includes('provider') && (
        <p className="border-s-2 border-amber ps-3">{t('roleOfProvider')}</p>
      )}
      <p>{isMe && role !== 'admin' ? t('roleOfYours') : t('roleAtOnce')}</p>
    </MemberDialog>
  );
}

interface RoleFieldProps {
  readonly role: Role;
  readonly onRole: (role: Role) => void;
}

/** The three roles, each with what it may do. */
export function RoleField({ role, onRole }: RoleFieldProps) {
  const t = useTranslations('roles');
  const id = useId();
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1 font-strong">{t('label')}</legend>
      {roles.map((known) => (
        <label key={known} className="flex items-start gap-2.5">
          <input
            type="radio"
            name={`${id}-role`}
            checked={known === role}
            aria-labelledby={`${id}-${known}-name`}
            aria-describedby={`${id}-${known}`}
            onChange={() => onRole(known)}
            className="mt-1 block size-4 shrink-0 accent-blue"
          />
          <span>
            <span id={`${id}-${known}-name`}>{t(`name.${known}`)}</span>
            <span id={`${id}-${known}`} className="block text-cell text-dim">
              {t(`may.${known}`)}
            </span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
