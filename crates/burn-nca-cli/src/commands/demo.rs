//! `nca demo`: the page that trains NCA in the browser, served to this machine alone.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::cli::DemoArgs;
use crate::failure::hinted;
use crate::output;

/// The most of a request that is read.
const REQUEST_BYTES: u64 = 64 << 10;

/// The file that is asked for by no name.
const PAGE: &str = "index.html";

/// How long a browser may take to send its request.
const PATIENCE: Duration = Duration::from_secs(10);

pub fn run(args: &DemoArgs) -> Result<()> {
    let (site, page) = (args.site.as_path(), args.site.join(PAGE));
    if !page.is_file() {
        bail!(hinted(
            format!("there is no page at {}", page.display()),
            format!(
                "make it with crates/burn-nca-web/build.sh {}, or name its folder with --site",
                site.display()
            )
        ));
    }
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port)).with_context(|| {
        format!("the port {} cannot be used; give another --port, or 0 for any", args.port)
    })?;
    let port = listener.local_addr()?.port();
    output::print_text(&format!("http://127.0.0.1:{port}/   (Ctrl-C ends it)\n"))?;
    std::thread::scope(|scope| {
        for stream in listener.incoming().flatten() {
            // A browser that disconnects is no error.
            scope.spawn(move || answer(site, stream).ok());
        }
    });
    Ok(())
}

/// Answers a request for a file of the page: nothing outside of its folder can be asked for.
fn answer(site: &Path, mut stream: TcpStream) -> std::io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut reader = BufReader::new((&stream).take(REQUEST_BYTES));
    let mut line = String::new();
    reader.read_line(&mut line)?;
    // The rest of the request is read and not looked at: a closed connection would lose the answer.
    let mut header = String::new();
    while reader.read_line(&mut header)? > 2 {
        header.clear();
    }
    let mut words = line.split_whitespace();
    let (method, path) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let path = path.split(['?', '#']).next().unwrap_or("");
    let name = if path == "/" { Some(PAGE) } else { path.strip_prefix('/') };
    let is_name = |name: &&str| Path::new(name).file_name() == Some(name.as_ref());
    let file = name.filter(is_name).map(|name| site.join(name)).filter(|file| file.is_file());
    let (status, kind, body) = match (method, &file) {
        ("GET" | "HEAD", Some(file)) => ("200 OK", kind_of(file), std::fs::read(file)?),
        ("GET" | "HEAD", None) => ("404 Not Found", "text/plain", b"no such file\n".to_vec()),
        _ => ("405 Method Not Allowed", "text/plain", b"GET only\n".to_vec()),
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-cache\r\n\
         Connection: close\r\n\r\n",
        body.len()
    )?;
    if method != "HEAD" {
        stream.write_all(&body)?;
    }
    stream.flush()
}

/// The content type of a file; WebAssembly is compiled while it comes only under its own name.
fn kind_of(file: &Path) -> &'static str {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_files_of_the_page_are_given() {
        let outside = tempfile::tempdir().unwrap();
        let folder = outside.path().join("site");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(outside.path().join("secret"), "secret").unwrap();
        std::fs::write(folder.join("a.wasm"), "wasm").unwrap();
        for (request, start) in [
            ("GET /a.wasm?v=1", "HTTP/1.1 200 OK\r\nContent-Type: application/wasm"),
            ("GET /../secret", "HTTP/1.1 404"),
            ("GET /..%2fsecret", "HTTP/1.1 404"),
            ("GET //secret", "HTTP/1.1 404"),
            ("POST /a.wasm", "HTTP/1.1 405"),
        ] {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
            let mut browser = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            write!(browser, "{request} HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
            answer(&folder, listener.accept().unwrap().0).unwrap();
            let mut text = String::new();
            browser.read_to_string(&mut text).unwrap();
            assert!(text.starts_with(start), "{request}: {text}");
        }
    }
}
