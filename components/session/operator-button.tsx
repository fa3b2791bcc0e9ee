'use client';

import { Toast } from '@base-ui/react/toast';

import { Button, type ButtonProps } from '../ui/button';
import { useMayOperate } from './session-context';

/**
 * A button for operators. Others see it, can reach it, and learn why it does nothing: a screen or a pointer that shows no
 * title tells it on a press.
 */
export function OperatorButton({ onClick, ...rest }: ButtonProps) {
  const { isAllowed, whyNot } = useMayOperate();
  const { add } = Toast.useToastManager();
  if (isAllowed) return <Button {...rest} onClick={onClick} />;
  return (
    <Button
      {...rest}
      aria-disabled
      aria-haspopup={undefined}
      aria-description={whyNot ?? undefined}
      title={whyNot ?? undefined}
      onClick={() => {
        if (whyNot !== null) add({ id: 'needs-operator', description: whyNot, timeout: 8_000 });
      }}
    />
  );
}
