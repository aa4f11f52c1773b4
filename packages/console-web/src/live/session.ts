import type { Session } from '@manta/console/protocol';
import { createContext } from 'react';

/** Who is logged in, and what the server offers; absent on the login page. */
export const SessionContext = createContext<Session | undefined>(undefined);
