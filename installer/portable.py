#!/usr/bin/env python3
"""Makes the portable archive of an installed tree: Qt, its plugins and QML modules, and every library they need go in,
except those that belong to the system. All of it finds the rest relative to itself, so it runs from any folder."""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# Those that must fit the kernel, the graphics driver or the C library of the computer that runs it. The C++ library is
# among them: a driver may need a newer one than ours.
SYSTEM = re.compile(
    r"^(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|util|anl|nsl|stdc\+\+|gcc_s|GL|EGL|GLX|GLdispatch|OpenGL|GLESv2"
    r"|vulkan|drm|gbm|drm_.*|glapi))\.so\b.*")
# What runs the window: screens, input methods, pictures. A plugin that the build machine lacks is an error.
PLUGINS = [
    "platforms/libqxcb.so",
    "platforms/libqoffscreen.so",
    "platforms/libqwayland-generic.so",
    "platforms/libqwayland-egl.so",
    "wayland-shell-integration/libxdg-shell.so",
    "wayland-graphics-integration-client/libqt-plugin-wayland-egl.so",
    "wayland-decoration-client/libbradient.so",
    "xcbglintegrations/libqxcb-egl-integration.so",
    "xcbglintegrations/libqxcb-glx-integration.so",
    "platforminputcontexts/libcomposeplatforminputcontextplugin.so",
    "platforminputcontexts/libibusplatforminputcontextplugin.so",
    "platforminputcontexts/libfcitx5platforminputcontextplugin.so",
    "platformthemes/libqxdgdesktopportal.so",
    "imageformats/libqsvg.so",
    "imageformats/libqjpeg.so",
    "iconengines/libqsvgicon.so",
]
# What QtQuick.Dialogs loads where there is no portal; Qt's scanner does not see it.
MODULES = ["QtQuick/Dialogs/quickimpl", "QtQuick/Controls", "QtQuick/Controls/Basic", "QtQuick/Controls/Basic/impl",
           "QtQuick/Controls/impl", "Qt/labs/folderlistmodel"]
README = """Inglenook {version}, portable

Start ./inglenook (the window) or ./ingle (the command line). Nothing needs to be installed, and this folder may be
read-only. It needs a Linux with glibc 2.36 or newer for this kind of processor, with a font and with the OpenGL
libraries that every desktop has (libEGL.so.1, libGLX.so.0, libOpenGL.so.0).

Conversations are kept in ~/.local/share/inglenook. With --portable they are kept in "data", in this folder.
"""


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


def qt_folder(key):
    return pathlib.Path(run("qtpaths6", "--query", key).strip())


def needed(binary):
    """The libraries that the file and what it links to need, by name; an unknown one is an error."""
    found = {}
    for line in run("ldd", str(binary)).splitlines():
        match = re.match(r"\s*(\S+) => (.*?)( \(0x[0-9a-f]+\))?$", line)
        if match and not SYSTEM.match(match[1]):
            if not match[2].startswith("/"):
                sys.exit(f"portable: {binary} needs {match[1]}, which is not here")
            found[match[1]] = pathlib.Path(match[2])
    return found


def is_binary(path):
    if path.is_symlink() or not path.is_file():
        return False
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def copy_module(source, target):
    """A module's files, also those in folders that are no modules themselves."""
    target.mkdir(parents=True, exist_ok=True)
    for entry in source.iterdir():
        if entry.is_file():
            shutil.copy2(entry, target)
        elif not (entry / "qmldir").exists():
            copy_module(entry, target / entry.name)


def copy_modules(qml, root):
    """The QML modules that the window's files import, as Qt's own scanner finds them."""
    scanner = qt_folder("QT_INSTALL_LIBEXECS") / "qmlimportscanner"
    installed = qt_folder("QT_INSTALL_QML")
    for entry in json.loads(run(str(scanner), "-rootPath", str(qml), "-importPath", str(installed))):
        path = entry.get("path")
        if entry["type"] != "module" or not path or not pathlib.Path(path).is_relative_to(installed):
            continue
        copy_module(pathlib.Path(path), root / "lib/qt6/qml" / pathlib.Path(path).relative_to(installed))
    for module in MODULES:
        copy_module(installed / module, root / "lib/qt6/qml" / module)


def copy_libraries(root):
    """Everything that the binaries of the tree need, until nothing is missing."""
    library = root / "lib"
    libraries = {}
    for binary in [path for path in root.rglob("*") if is_binary(path)]:
        libraries.update(needed(binary))
    for name, path in libraries.items():
        if not (library / name).exists():
            shutil.copy2(path.resolve(), library / name)


def make_relative(root):
    for binary in [path for path in root.rglob("*") if is_binary(path)]:
        binary.chmod(binary.stat().st_mode | 0o200)
        relative = os.path.relpath(root / "lib", binary.parent)
        run("strip", "--strip-unneeded", str(binary))
        run("patchelf", "--set-rpath", "$ORIGIN" if relative == "." else f"$ORIGIN/{relative}", str(binary))


def make_tree(options, root):
    for component in ("ingle", "inglenook"):
        run("cmake", "--install", str(options.build), "--prefix", str(root), "--component", component)
    plugins = qt_folder("QT_INSTALL_PLUGINS")
    for plugin in PLUGINS:
        target = root / "lib/qt6/plugins" / plugin
        target.parent.mkdir(parents=True, exist_ok=True)
        if not (plugins / plugin).exists():
            sys.exit(f"portable: Qt's plugin {plugin} is not installed here")
        shutil.copy2(plugins / plugin, target)
    copy_modules(options.qml, root)
    copy_libraries(root)
    make_relative(root)
    (root / "bin/qt.conf").write_text("[Paths]\nPrefix = ..\nPlugins = lib/qt6/plugins\nQmlImports = lib/qt6/qml\n")
    (root / "README.txt").write_text(README.format(version=options.version))
    for program in ("inglenook", "ingle"):
        (root / program).symlink_to(f"bin/{program}")


def licences(root):
    """The copyright files of the packages that the libraries come from."""
    target = root / "share/doc/licences"
    target.mkdir(parents=True)
    owners = set()
    for file in list((root / "lib").glob("*.so*")):
        listed = subprocess.run(["dpkg-query", "-S", f"*/{file.name}"], capture_output=True, text=True,
                                check=False).stdout
        owners.update(line.split(":")[0] for line in listed.splitlines())
    for owner in sorted(owners | {"qt6-wayland", "fcitx5-frontend-qt6"}):
        source = pathlib.Path("/usr/share/doc") / owner / "copyright"
        if source.exists():
            shutil.copy(source, target / owner)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path, help="build folder of a release")
    parser.add_argument("out", type=pathlib.Path, help="folder for the archive")
    parser.add_argument("--version", required=True)
    parser.add_argument("--qml", type=pathlib.Path, required=True, help="the window's QML files")
    options = parser.parse_args()
    machine = os.uname().machine
    name = f"inglenook-{options.version}-linux-{machine}"
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder) / name
        make_tree(options, root)
        licences(root)
        archive = options.out / f"{name}.tar.zst"
        run("tar", "--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=u+rw,go+r-w,a+X", "-I",
            "zstd -15 -T0", "-C", folder, "-cf", str(archive), name)
    print(archive)


if __name__ == "__main__":
    main()
