bool request, grant;
active proctype p() {
  request = true;
  if
  :: request => grant = true
  fi
}
ltl served { [] (request => <> grant) }
