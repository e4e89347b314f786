//! Who may ask: a hostile page, a rebound name, a guessed path, and requests that are too large or none.

use super::server::Server;

fn server(name: &str) -> Server {
    Server::of_text(name, "m.pml", "byte x; active proctype p() { x = 1 }")
}

#[test]
fn the_page_comes_with_a_policy_that_allows_nothing_from_outside() {
    let server = server("policy");
    let page = server.get(&format!("/{}/", server.token), &server.host(), &[]);
    assert_eq!(page.status, 200);
    assert!(page.body.contains("<title>Evenhand workbench</title>"));
    for line in [
        "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self';",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "x-content-type-options: nosniff",
        "referrer-policy: no-referrer",
        "cross-origin-resource-policy: same-origin",
        "cross-origin-opener-policy: same-origin",
        "cache-control: no-store",
    ] {
        assert!(page.head.contains(line), "{line}: {}", page.head);
    }
    assert!(!page.head.contains("access-control-allow"), "{}", page.head);
    assert!(!page.head.contains("unsafe"), "{}", page.head);
    // It listens on this machine alone, and the token is long.
    assert!(server.address.starts_with("http://127.0.0.1:"));
    assert!(server.token.len() >= 32, "{}", server.token);
    let by_name = server.get(
        &format!("/{}/main.js", server.token),
        &format!("localhost:{}", server.port),
        &[],
    );
    assert_eq!(by_name.status, 200);
    assert!(by_name.head.contains("text/javascript"), "{}", by_name.head);
}

#[test]
fn a_rebound_name_gets_nothing() {
    let server = server("host");
    let path = format!("/{}/api/models", server.token);
    let port = server.port;
    for host in [
        format!("evil.example:{port}"),
        format!("127.0.0.1.evil.example:{port}"),
        format!("127.0.0.1:{}", port ^ 1),
        "127.0.0.1".to_string(),
        "localhost".to_string(),
        String::new(),
    ] {
        let answer = server.get(&path, &host, &[]);
        assert_eq!(answer.status, 421, "{host}");
        assert!(!answer.body.contains("proctype"), "{host}");
    }
    let without = server.send(format!("GET {path} HTTP/1.1\r\n\r\n").as_bytes());
    assert_eq!(without.status, 421);
    let own = server.host();
    let twice = format!("GET {path} HTTP/1.1\r\nHost: {own}\r\nHost: evil.example\r\n\r\n");
    assert_eq!(server.send(twice.as_bytes()).status, 421);
    assert_eq!(server.get(&path, &own, &[]).status, 200);
}

#[test]
fn another_origin_gets_nothing_even_with_the_token() {
    let server = server("origin");
    let (own, path) = (server.host(), format!("/{}/api/models", server.token));
    for line in [
        "Origin: http://evil.example",
        "Origin: null",
        "Origin: https://127.0.0.1",
        "Origin: http://127.0.0.1:1",
        "Sec-Fetch-Site: cross-site",
        "Sec-Fetch-Site: same-site",
    ] {
        let answer = server.get(&path, &own, &[line]);
        assert_eq!(answer.status, 403, "{line}");
        assert!(!answer.body.contains("proctype"), "{line}");
    }
    let good = format!("Origin: http://{own}");
    let typed = ["Sec-Fetch-Site: none"];
    assert_eq!(server.get(&path, &own, &[&good]).status, 200);
    assert_eq!(server.get(&path, &own, &typed).status, 200);
    // What a form of another page can send: no origin of ours, no JSON.
    let post = |lines: &str| {
        let text = format!(
            "POST /{}/api/read HTTP/1.1\r\nHost: {own}\r\n{lines}Content-Length: 2\r\n\r\n{{}}",
            server.token
        );
        server.send(text.as_bytes()).status
    };
    assert_eq!(post("Content-Type: application/json\r\n"), 403);
    assert_eq!(
        post("Origin: http://evil.example\r\nContent-Type: application/json\r\n"),
        403
    );
    assert_eq!(
        post(&format!(
            "Origin: http://{own}\r\nContent-Type: text/plain\r\n"
        )),
        415
    );
    assert_eq!(post(&format!("Origin: http://{own}\r\n")), 415);
    assert_eq!(
        post(&format!(
            "Origin: http://{own}\r\nContent-Type: application/json\r\n"
        )),
        200
    );
}

#[test]
fn without_the_token_there_is_nothing_and_no_path_leads_out() {
    let server = server("token");
    let (own, token) = (server.host(), &server.token);
    let mut wrong = token.clone().into_bytes();
    wrong[0] ^= 1;
    let wrong = String::from_utf8(wrong).expect("a text");
    for path in [
        "/".to_string(),
        "/favicon.ico".to_string(),
        "/api/models".to_string(),
        format!("/{wrong}/"),
        format!("/{wrong}/api/models"),
        format!("/{}/api/models", &token[..token.len() - 1]),
        format!("/{token}x/api/models"),
        format!("/{token}"),
        format!("//{token}/api/models"),
        format!("/{token}/../../etc/passwd"),
        format!("/{token}/..%2f..%2fetc/passwd"),
        format!("/{token}//etc/passwd"),
        format!("/{token}/m.pml"),
        format!("/{token}/index.html/"),
        format!("/{token}/api/"),
        format!("/{token}/api/jobs/1"),
        format!("/{token}/api/jobs/-1"),
    ] {
        let answer = server.get(&path, &own, &[]);
        assert!(
            [404, 410].contains(&answer.status),
            "{path}: {}",
            answer.status
        );
        assert!(
            !answer.body.contains("root:") && !answer.body.contains("proctype"),
            "{path}"
        );
    }
    for method in ["PUT", "DELETE", "OPTIONS", "HEAD"] {
        let text = format!("{method} /{token}/ HTTP/1.1\r\nHost: {own}\r\n\r\n");
        assert_eq!(server.send(text.as_bytes()).status, 405, "{method}");
    }
}

#[test]
fn requests_that_are_too_large_or_none_are_refused_and_the_server_goes_on() {
    let server = server("large");
    let (own, token) = (server.host(), &server.token);
    let head = format!(
        "POST /{token}/api/read HTTP/1.1\r\nHost: {own}\r\nOrigin: http://{own}\r\n\
         Content-Type: application/json\r\n"
    );
    let large = format!("{head}Content-Length: 99999999999\r\n\r\n{{");
    assert_eq!(server.send(large.as_bytes()).status, 413);
    let huge = format!("{head}Content-Length: 999999999999999999999999999\r\n\r\n{{");
    assert_eq!(server.send(huge.as_bytes()).status, 413);
    for (lines, status) in [
        ("Content-Length: -1\r\n", 400),
        ("Content-Length: +2\r\n", 400),
        ("Content-Length: 2\r\nContent-Length: 3\r\n", 400),
        ("Transfer-Encoding: chunked\r\n", 501),
    ] {
        let text = format!("{head}{lines}\r\n{{}}");
        assert_eq!(server.send(text.as_bytes()).status, status, "{lines}");
    }
    let long = format!(
        "GET /{} HTTP/1.1\r\nHost: {own}\r\n\r\n",
        "a".repeat(20_000)
    );
    assert_eq!(server.send(long.as_bytes()).status, 431);
    let many: String = (0..100).map(|n| format!("X-{n}: 1\r\n")).collect();
    let many = format!("GET /{token}/ HTTP/1.1\r\nHost: {own}\r\n{many}\r\n");
    assert_eq!(server.send(many.as_bytes()).status, 400);
    for noise in [
        &b"\x16\x03\x01\x02\x00\x01"[..],
        b"HELO\r\n\r\n",
        b"GET\r\n\r\n",
    ] {
        let status = server.send(noise).status;
        assert!([400, 408].contains(&status), "{status}");
    }
    let deep = "[".repeat(200_000);
    let deep = format!("{head}Content-Length: {}\r\n\r\n{deep}", deep.len());
    assert_eq!(server.send(deep.as_bytes()).status, 400);
    assert_eq!(server.get(&format!("/{token}/"), &own, &[]).status, 200);
}
