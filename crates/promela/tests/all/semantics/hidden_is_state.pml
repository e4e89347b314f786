// states: 16
hidden byte h; byte x;
active [2] proctype P() { h++; x = h }
