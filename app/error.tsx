'use client';

import { ErrorScreen } from '@/components/shell/error-screen';

interface ErrorPageProps {
  readonly error: unknown;
  readonly retry: () => void;
}

export default function ErrorPage({ retry }: ErrorPageProps) {
  return <ErrorScreen onRetry={retry} />;
}
