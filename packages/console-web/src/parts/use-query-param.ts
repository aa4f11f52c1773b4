import { useCallback } from 'react';
import { useLocation, useSearch } from 'wouter';

/** A value that lives in the URL: it survives a reload, and a copied link shows the same. */
export function useQueryParam(name: string, fallback = ''): readonly [string, (value: string) => void] {
  const search = useSearch();
  const [path, navigate] = useLocation();
  const value = new URLSearchParams(search).get(name) ?? fallback;
  const set = useCallback(
    (next: string) => {
      const params = new URLSearchParams(window.location.search);
      if (next === fallback) params.delete(name);
      else params.set(name, next);
      const text = params.toString();
      navigate(text === '' ? path : `${path}?${text}`, { replace: true });
    },
    [name, fallback, path, navigate],
  );
  return [value, set];
}
