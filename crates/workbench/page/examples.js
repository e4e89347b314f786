// What a formula and an assumption look like in the language of the model: shown where they can be typed.

import { bench } from './calls.js';

const PROMELA = { formula: '[] (request -> <> grant)', fairness: 'just:x == 0' };

const EXAMPLES = {
  smv: { formula: 'G (request -> F grant)', fairness: 'just:x = 0' },
  tla: { formula: '[](x = 0 => <>(x = 1))', fairness: 'weak:Action' },
  pnml: { formula: '[] (tokens(p) >= 1 -> <> tokens(q) >= 1)', fairness: 'just:tokens(p) = 0' },
  maria: { formula: '[] (cardinality place p >= 1 => <> cardinality place q >= 1)', fairness: 'strong:t' },
};

export const examples = () => EXAMPLES[bench.models[bench.model].language] || PROMELA;
