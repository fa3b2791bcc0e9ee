/** The contract's numbers, for those who may not look further in than the wire. */
export { limits } from '../locks/limits';
