'use client';

import { useMutation, type UseMutationOptions } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';

import { ApiError } from '@/lib/queries/api-error';

interface SendOnceOptions<Answer, Request> {
  readonly onAnswer: (answer: Answer, request: Request) => void;
  readonly onRefused?: (error: ApiError, request: Request) => void;
  /** Whether, after this answer, it may be sent again: the answer got lost, and nothing was done. */
  readonly mayRepeat?: (answer: Answer) => boolean;
}

export interface SendOnce<Answer, Request> {
  readonly send: (request: Request) => void;
  readonly isSending: boolean;
  readonly answer: Answer | null;
  readonly error: ApiError | null;
}

/**
 * Sends what a question asked for, once. A second press comes before React has drawn the first, so it is a ref that refuses
 * it; and after an answer nothing is left to send, though the question may still be on screen. A refusal may be tried again.
 */
export function useSendOnce<Answer, Request>(
  mutationOptions: UseMutationOptions<Answer, Error, Request>,
  { onAnswer, onRefused, mayRepeat }: SendOnceOptions<Answer, Request>,
): SendOnce<Answer, Request> {
  const mutation = useMutation(mutationOptions);
  const isShut = useRef(false);
  const [isSending, setSending] = useState(false);

  async function sendNow(request: Request) {
    if (isShut.current) return;
    isShut.current = true;
    // Drawn at once, and until the answer has been taken: a key pressed in between must not close what waits for it.
    flushSync(() => setSending(true));
    try {
      const answer = await mutation.mutateAsync(request);
      isShut.current = mayRepeat?.(answer) !== true;
      onAnswer(answer, request);
    } catch (error) {
      isShut.current = false;
      // Anything else is a bug, and goes its way.
      if (!(error instanceof ApiError)) throw error;
      onRefused?.(error, request);
    } finally {
      setSending(false);
    }
  }

  return {
    send: (request) => void sendNow(request),
    isSending: isSending || mutation.isPending,
    answer: mutation.data ?? null,
    error: mutation.error instanceof ApiError ? mutation.error : null,
  };
}
