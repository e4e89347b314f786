//! Evenhand: model checking under weak and strong fairness.
