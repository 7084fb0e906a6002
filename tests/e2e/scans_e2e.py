#!/usr/bin/env python3
"""A scan in the real window: its text is recognised page by page, by Tesseract or by a model that sees, and what was
read before a kill -9 is not read again."""
import argparse
import base64
import os
import pathlib
import shutil
import subprocess
import sys
import zlib

from driver import Failure, Window, display, expect, new_home, wait_until

SKIPPED = 77
PAGES = 12
SEEN_PAGES = 5
# A picture of "Beech trees grow slowly / in the shade of oaks.", 640 x 160 dots, a bit each, packed by zlib.
WIDTH, HEIGHT = 640, 160
PICTURE = base64.b85decode(
    'c-'
    'rmQO^(|(6bEp+D#|R1ve|VJga~?q?6Mey1$vPJy+D>;Oid3|gxTo`Jxb*WsF%5dR9}EbH!Q&N_5Wyl#!1E++wmeT_%I(9ZT~D&k5AGgDp8_Di4'
    'rABlqgZ+Vlh1Q0>Awq?BUn6lM8#oT-ej^dFB(nWmK2-NbY;-'
    '(>?dudlO0(MLG1Af(XI17DEB^;IFKfQF`i<Ca*ksJ&=npUft67c~RIPsGkgTyh()K2#uj$;NX94pU8d^sD{^0Jk8~rWPC9l^O_)x7q+biq1gN3'
    'rBE2+M4x|YAIVk(TVo#Pl_!B;8K+Y_;wgWv`(Wz7dLuD^K}IbxRIiC-YX#MQYHy+;x$;RZJXHbS!Q5Xa?UNp&anxJKp2lMg@nKTlR^-'
    'B!eGCsfpYXxy`!Kye>|wnPq%hx#dh9Gb6Ksc}1_xUQD@nzThslk`Z#=UasRt`k%lAC$FywB%bY;GcmiI535N6NtYr2v3yP{@ES|k6mX9KM;R8!'
    'tiq|+1g9a2uhvtc@W?!!!Xhv!dq)Hr&2=XqLTXh9TBv?}TJ^d);Wd3@IOb@rAc>$eqhF233G!~{dV+4GQb)Y^^rY8|Y0Bl&#4=hdC}l)YYO?}|'
    'M&;&u0XyaczNesc8+-(Ipedodk?ZJH4ebBn~=pFiU1zS;Ax;Ze2m0(<Iouiy8cV_>oMeh${@5pTtR(|*3tDp#lMAz$>P8G8fg%k0|-Z#m`-'
    'd4JTMXLBhGIiD5s*}O^5FtFx)rpNKeVE-8L+(Ta6^ZdqpYew?V=hEyp9tf;e4E^pYp&lsI1M`L|B0F$BpvOrD`==RMAKo;*)%D-'
    'mQ}EOZLrsr*)x)d3y<tx;xL#4kUT+SsUldQ}g>EP8k(k;fDh$mx^;F>%v|vx<dWupF&)boDm4u2y_qQG@F^1+<uJ@=a6L>h8V98J`;i+*CyJ1P'
    '-{FA*FN2Avm>Qz1;Vbv)dF08Ls<9uZBXw(~zc;J13F6;RVd+Rg3LstUB=iwbZZFlE+SYG!>eV!*K2M(`1)2j}6>O8MKQ0BZTcUL7!lqgZ6#D6L'
    '#C%yXJhZknMOQ+qXLE3rlD9=6Q#S44kmoq#w;?YUoy9;}pIUn)-'
    '|I2f$O&4*hiElz%)3v#~sC1M$nS1=3^8*)6YmV?XUBsUx%@yB7cH9jlUuoP|;)Cp5QWORcT(IKd>u|U0B37^n_o;7j>ndzN(cGZ)!oUkc<AL*d'
    '_F-?^MO2HVYKppPXKEeHBH(r$cdijPspMxWMC}GVdxW>`A`VG+6b-'
    'e+jix&4j{6cxv4`8~q+J(}xU6@(uHQPEf$t|5)L`4;{djvvDt9YzY_)UIp5)nq_wUwgve#s9$(}lD|8`v$cx%ib6WCVplHu-'
    '*=WY>_QomMFpW@+%688$4B#a`h5;qH6?q+o)^lP2eNuCg#w)_>dCxpK9kTSoTV@mZ0-rU0LKlZ%PbMAVa>Ukth)25HS-'
    'm>TQN%P0mox8Jj_EfF`TW>-'
    '7Cbwcv^hk2I_hYZ){3DVl<xAe)dMU51+kDx2?i4R)>yo`_noR@$HlI6QZ|tAxxt+INZ|n`ndm3KC!TV?PeM7DX+-'
    'KR<gAVnj$Fr;BJjI^Gdb4~y>YnQrvgWQ{ExdLf&n}Mgxa+s(?no4zFYOm5*Hgpw)N_^A*mmJss8hU_J<jL;D}#C;;6=eLBCKa@yLct^kzUKifV'
    '(P!*IUpA=c9ZfROR#A4Kn#R7qze}Dp8_Di4rABlqgYR8~*|YjE}M')
WORDS = "Beech trees grow slowly"


def scan(pages):
    """A PDF of so many pages without text."""
    image = (f"<</Type/XObject/Subtype/Image/Width {WIDTH}/Height {HEIGHT}/ColorSpace/DeviceGray/BitsPerComponent 1"
             f"/Filter/FlateDecode/Length {len(PICTURE)}>>\nstream\n").encode() + PICTURE + b"\nendstream"
    content = b"320 0 0 80 40 200 cm /I Do"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count %d/Kids[%s]>>" % (pages, b"".join(b"%d 0 R " % (5 + i) for i in range(pages))),
        image,
        b"<</Length %d>>\nstream\n%s\nendstream" % (len(content), content),
        *[b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 400]/Contents 4 0 R/Resources<</XObject<</I 3 0 R>>>>>>"] * pages
    ]
    data, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return data + (b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<</Root 1 0 R/Size %d>>\nstartxref\n%d\n%%%%EOF\n" %
                   (len(objects) + 1, table, len(objects) + 1, len(data)))


def kept(home):
    """The pages that are kept until the last one is read, and when each was written."""
    folder = home.root / "cache/inglenook/scans"
    return {path.name: path.stat().st_mtime_ns for path in folder.glob("*/*") if path.suffix != ".part"}


def check(options, home, screen):
    path = home.root / "scan.pdf"
    path.write_bytes(scan(PAGES))
    assert zlib.decompress(PICTURE)
    probe = subprocess.run([f"{options.bin}/ingle", "text", path], capture_output=True, text=True, check=False)
    if "Tesseract" in probe.stderr:
        print("skipped: Tesseract, or a language of it, is not installed")
        return SKIPPED
    expect(probe.stdout.count(WORDS) == PAGES, f"ingle text: {probe.stdout} {probe.stderr}")
    before = {}
    for count in (3, 7):
        with Window(options.bin, home, screen) as window:
            window.drop(path)
            wait_until(lambda count=count: len(kept(home)) >= count, f"{count} pages")
            window.kill()
        now = kept(home)
        expect(len(now) < PAGES, "all was read before the kill")
        expect(all(now.get(name) == when for name, when in before.items()), "a page was read twice")
        before = now
    with Window(options.bin, home, screen) as window:
        window.drop(path)
        window.wait_for(lambda s: len(s["documents"]) == 1, "the document")
        window.quit()
    expect(not list((home.root / "cache/inglenook/scans").iterdir()), "pages are kept for ever")
    return 0


def seeing_model():
    """A tiny random model with its vision file, of the golden set; none in a plain clone."""
    golden = os.environ.get("INGLE_GOLDEN") or pathlib.Path(__file__).resolve().parents[3] / "shared/golden"
    files = [pathlib.Path(golden) / "vision" / name for name in ("text-qwen3vl.gguf", "qwen3vl.mmproj.gguf")]
    return files if all(file.exists() for file in files) else []


def check_seen(options, home, screen):
    """The same by a model that sees: what it read before the kill it does not read again."""
    files = seeing_model()
    for file in files:
        shutil.copy(file, home.root)
    path = home.root / "seen.pdf"
    path.write_bytes(scan(SEEN_PAGES))
    before = {}
    with Window(options.bin, home, screen) as window:
        window.drop(home.root / files[0].name)
        window.wait_for(lambda s: s["modelState"] == "Ready", "the model")
        window.drop(path)
        wait_until(lambda: len(kept(home)) >= 2, "2 pages")
        window.kill()
    before = kept(home)
    expect(len(before) < SEEN_PAGES, "all was read before the kill")
    with Window(options.bin, home, screen) as window:
        window.wait_for(lambda s: s["modelState"] == "Ready", "the model")
        window.drop(path)
        wait_until(lambda: len(kept(home)) > len(before), "a page more")
        expect(all(kept(home).get(name, when) == when for name, when in before.items()), "a page was read twice")
        window.wait_for(lambda s: len(s["documents"]) == 1, "the document")
        window.quit()
    expect(not list((home.root / "cache/inglenook/scans").iterdir()), "pages are kept for ever")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True, help="folder of the programs")
    options = parser.parse_args()
    with display() as screen:
        if seeing_model():
            with new_home() as home:
                check_seen(options, home, screen)
        with new_home() as home:
            return check(options, home, screen)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        print(f"FAILED: {failure}", file=sys.stderr)
        sys.exit(1)
