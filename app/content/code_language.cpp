#include "app/content/code_language.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ingle::content {
namespace {

using Row = std::pair<std::string_view, std::string_view>;

/// Of languages whose name is not what their files end with.
constexpr std::array kExtensions{
    Row{"python", "py"},      Row{"python3", "py"},      Row{"javascript", "js"},
    Row{"node", "js"},        Row{"typescript", "ts"},   Row{"c++", "cpp"},
    Row{"csharp", "cs"},      Row{"c#", "cs"},           Row{"rust", "rs"},
    Row{"golang", "go"},      Row{"ruby", "rb"},         Row{"kotlin", "kt"},
    Row{"bash", "sh"},        Row{"shell", "sh"},        Row{"zsh", "sh"},
    Row{"console", "sh"},     Row{"powershell", "ps1"},  Row{"batch", "bat"},
    Row{"markdown", "md"},    Row{"yaml", "yml"},        Row{"haskell", "hs"},
    Row{"perl", "pl"},        Row{"julia", "jl"},        Row{"elixir", "ex"},
    Row{"erlang", "erl"},     Row{"ocaml", "ml"},        Row{"fsharp", "fs"},
    Row{"f#", "fs"},          Row{"clojure", "clj"},     Row{"matlab", "m"},
    Row{"objectivec", "m"},   Row{"latex", "tex"},       Row{"assembly", "asm"},
    Row{"nasm", "asm"},       Row{"fortran", "f90"},     Row{"pascal", "pas"},
    Row{"protobuf", "proto"}, Row{"patch", "diff"},      Row{"jsonc", "json"},
    Row{"json5", "json"},     Row{"scheme", "scm"},      Row{"solidity", "sol"},
    Row{"verilog", "v"},      Row{"visual-basic", "vb"}, Row{"plaintext", "txt"},
    Row{"text", "txt"},       Row{"postgresql", "sql"},  Row{"mysql", "sql"},
    Row{"sqlite", "sql"},     Row{"makefile", "mk"},     Row{"dockerfile", "dockerfile"}};

/// Of those that are: other words behind a fence are no ending that anybody knows.
constexpr std::array<std::string_view, 45> kOwn{
    "c",   "cpp",  "h",    "hpp",   "py",   "js",    "jsx",   "ts",   "tsx", "java", "go",  "rs",
    "rb",  "kt",   "sh",   "ps1",   "bat",  "md",    "yml",   "toml", "ini", "json", "xml", "html",
    "css", "scss", "less", "sql",   "php",  "swift", "scala", "dart", "lua", "r",    "pl",  "hs",
    "ml",  "lisp", "tex",  "cmake", "diff", "csv",   "svg",   "qml",  "zig"};

}  // namespace

std::string codeLanguage(std::string_view label) {
    const size_t begin = std::min(label.find_first_not_of(" \t{."), label.size());
    label.remove_prefix(begin);
    std::string language(label.substr(0, label.find_first_of(" \t{},;:")));
    for (char& c : language) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return language;
}

std::string_view codeExtension(std::string_view language) {
    const auto row = std::ranges::find(kExtensions, language, &Row::first);
    if (row != kExtensions.end()) return row->second;
    const auto own = std::ranges::find(kOwn, language);
    return own != kOwn.end() ? *own : "txt";
}

}  // namespace ingle::content
