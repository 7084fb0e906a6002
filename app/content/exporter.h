/// One row per form in which blocks leave the application as text. A file in exporters/ defines `extern const
/// Exporter exporter` in the namespace `<name>_exporter`; the table of all is generated from the folder.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "app/content/block.h"
#include "app/content/selection.h"

namespace ingle::content {

struct Exporter {
    /// As people call the form, in every language: "Markdown". Empty: it needs no name, being what is copied
    /// where nothing else is asked for.
    std::string_view name;
    /// Blocks one below the other, none of them cut, without a line end at the end.
    std::string (*write)(std::span<const Block> blocks);

    /// The text between two places, `from` <= `to`.
    std::string operator()(std::span<const Block> blocks, TextPosition from, TextPosition to) const {
        return write(selected(blocks, from, to));
    }
};

std::span<const Exporter* const> allExporters();
/// Null: there is none of that name.
const Exporter* findExporter(std::string_view name);

}  // namespace ingle::content
