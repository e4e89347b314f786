// assertions: violated
chan c = [1] of { byte };
active proctype A() { byte v; xr c; c?v }
active proctype B() { byte v; do :: c!1 :: c?v od }
