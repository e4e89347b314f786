// Control passes to Q in the middle of P's atomic block: it is Q who sends on d, and only Q may.
// assertions: hold
chan c = [0] of { byte };
chan d = [0] of { byte };
active proctype P() { atomic { c!1; skip } }
active proctype Q() { byte x; xs d; atomic { c?x; d!2 } }
active proctype R() { byte y; d?y }
