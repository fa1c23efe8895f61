/** Makes the text of the packs from `packs/*.yaml` before any test, so that the tests never judge old rules. */
import { buildPacks } from '../scripts/build-packs.mjs';

export default buildPacks;
