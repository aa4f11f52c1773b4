export { timestamp } from '@manta/api';
