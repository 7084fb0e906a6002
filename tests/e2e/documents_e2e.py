#!/usr/bin/env python3
"""Documents as people read them with `ingle text`, traced: from its lock on, `ingle-documents` makes no system call
that reaches a file, a socket or a process. The documents are made here."""
import argparse
import io
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import zipfile

ARCHIVE_TIME = (2026, 1, 1, 0, 0, 0)
WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
OFFICE = ('xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
          'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"')
# What would reach beyond the process. Everything is traced, so that calls with new names are seen, too.
ALLOWED = {
    "read", "write", "lseek", "close", "brk", "mmap", "munmap", "mremap", "mprotect", "madvise", "futex", "getrandom",
    "clock_gettime", "gettimeofday", "sysinfo", "exit_group", "exit", "rt_sigprocmask", "restart_syscall"
}


def archive(parts):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as file:
        for number, (name, content) in enumerate(parts.items()):
            method = zipfile.ZIP_DEFLATED if number else zipfile.ZIP_STORED
            file.writestr(zipfile.ZipInfo(name, ARCHIVE_TIME), content, method)
    return data.getvalue()


def word(words):
    return archive({
        "[Content_Types].xml": "<Types/>",
        "_rels/.rels": f'<r><Relationship Type="{RELATION}" Target="/word/document.xml"/></r>',
        "word/document.xml": "<w:document "
                             f"{WORD}><w:body><w:p><w:r><w:t>{words}</w:t></w:r></w:p></w:body></w:document>"
    })


def open_document(words):
    return archive({
        "mimetype": "application/vnd.oasis.opendocument.text",
        "content.xml": f"<o {OFFICE}><office:body><text:h text:outline-level='2'>{words}</text:h></office:body></o>"
    })


def pdf(words, font="<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"):
    page = f"BT /F 12 Tf 40 300 Td {words} Tj ET"
    objects = ["<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
               "<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 400]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
               f"<</Length {len(page)}>>\nstream\n{page}\nendstream", font]
    data, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(data))
        data += f"{number} 0 obj\n{content}\nendobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    return data + (
        f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer\n<</Root 1 0 R/Size {len(objects) + 1}>>\n"
        f"startxref\n{len(data)}\n%%EOF\n").encode()


BOMB_MEGABYTES = 300
MOST_MEGABYTES = 150
# A font that would have poppler look for its table of characters.
JAPANESE = (
    "<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/90ms-RKSJ-H/DescendantFonts[<</Type/Font/Subtype/CIDFontType0"
    "/BaseFont/X/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 2>>>>]>>")
# Name → content, what is printed, what is said besides.
DOCUMENTS = {
    "a.txt": ("Plain words.".encode("utf-16"), "Plain words.\n", ""),
    "b.md": (b"# Top\n\nWords.", "# Top\n\nWords.\n", ""),
    "c.html": ("<html><p>Gr\u00fc\u00dfe<p>x<img src='http://example.org/x.png'></html>".encode(),
               "Gr\u00fc\u00dfe\n\nx\n", "1 picture"),
    "d.docx": (word("In Word."), "In Word.\n", ""),
    "e.odt": (open_document("In Writer."), "## In Writer.\n", ""),
    "f.pdf": (pdf("(On paper.)"), "On paper.\n", ""),
    "g.pdf": (pdf("<82a0>", JAPANESE), "", "do not say which characters"),
    "h.pdf": (pdf("()"), "", "OCR"),
    "i.doc": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "", "save it as .docx or PDF"),
}


def expect(condition, message):
    if not condition:
        sys.exit(f"documents_e2e: {message}")


def after_locks(log):
    """System calls of each reader before and after its lock, as lines of strace. Of a scan the pages are read one by
    one."""
    lines = [line.split(None, 1) for line in log.read_text(errors="replace").splitlines()]
    started = [process for process, call in lines if re.match(r'execve\("[^"]*ingle-documents"', call)]
    expect(1 <= len(started) <= 2, f"the reader was started {len(started)} times")
    for reader in started:
        # What another process interrupted ends in a line of its own.
        own = [call for process, call in lines if process == reader and not call.startswith("<...")]
        # libseccomp tries out what the kernel knows before it sets the filter.
        locks = [number for number, call in enumerate(own) if call.startswith("seccomp(SECCOMP_SET_MODE_FILTER")]
        expect(locks, "the reader did not lock itself")
        yield own[:locks[-1]], own[locks[-1] + 1:]


def check(options, folder, name, content, printed, said):
    path, log = folder / name, folder / (name + ".trace")
    path.write_bytes(content)
    answer = subprocess.run(["strace", "-f", "-qq", "-s", "200", "-o", str(log), options.bin / "ingle", "text", path],
                            capture_output=True, text=True, check=False)
    expect(answer.stdout == printed, f"{name}: {answer.stdout!r} was printed, {answer.stderr!r}")
    expect(said in answer.stderr and (said or not answer.stderr), f"{name}: {answer.stderr!r} was said")
    expect(answer.returncode == (0 if printed else 1), f"{name}: ended with {answer.returncode}")
    count = 0
    for before, after in after_locks(log):
        expect(any(call.startswith("openat(") for call in before), "no call was seen that is refused later")
        expect(not any(call.startswith("read(0,") for call in before), f"{name}: its bytes were read before the lock")
        expect(any(call.startswith("read(0,") for call in after), f"{name}: its bytes were not read")
        calls = [call for call in after if "(" in call and call.split("(")[0] not in ALLOWED]
        expect(not calls, f"{name}: {calls[:3]} after the lock")
        count += len(after)
    return count


def write_bomb(path, megabytes):
    """A Word document whose text is that many megabytes of spaces, made without having them in memory."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("_rels/.rels", f'<r><Relationship Type="{RELATION}" Target="word/document.xml"/></r>')
        with file.open("word/document.xml", "w") as part:
            for _ in range(megabytes):
                part.write(b" " * 1_000_000)


def check_bombs(options, folder):
    """One that says what it unpacks to, and one that says little."""
    honest, liar = folder / "honest.docx", folder / "liar.docx"
    write_bomb(honest, BOMB_MEGABYTES)
    size = (BOMB_MEGABYTES * 1_000_000).to_bytes(4, "little")
    data = honest.read_bytes()
    expect(data.count(size) == 2, "the bomb's sizes were not found")
    liar.write_bytes(data.replace(size, (1000).to_bytes(4, "little")))
    for path in (honest, liar):
        answer = subprocess.run([options.bin / "ingle", "text", path], capture_output=True, text=True, check=False)
        expect(answer.returncode == 1 and "unpack" in answer.stderr, f"{path.name}: {answer.stderr!r}")
    # Of all that were waited for so far, by this process and by those that it started.
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    expect(most < MOST_MEGABYTES, f"reading a bomb took {most:.0f} MB")
    return most


def check_links(options):
    """Poppler is linked by the reader and by nothing else that is installed."""
    def libraries(program):
        return subprocess.run(["ldd", options.bin / program], capture_output=True, text=True, check=True).stdout
    expect("libpoppler" in libraries("ingle-documents"), "poppler was not found where it is")
    # `ingle history import` opens ChatGPT's archives by libzip; documents are never opened there.
    for program, forbidden in (("ingle", ("poppler", "libxml2")), ("inglenook", ("poppler", "libxml2", "libzip"))):
        if (options.bin / program).exists():
            for library in forbidden:
                expect(library not in libraries(program), f"{program} links {library}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    options = parser.parse_args()
    if not shutil.which("strace"):
        print("skipped: strace is not installed")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        most = check_bombs(options, pathlib.Path(folder))
        traced = sum(check(options, pathlib.Path(folder), name, *row) for name, row in DOCUMENTS.items())
    check_links(options)
    print(f"{traced} calls after the lock, none beyond the process; a bomb took {most:.0f} MB")


if __name__ == "__main__":
    main()
