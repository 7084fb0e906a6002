/// What both kinds of documents that are archives of XML have in common.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "app/documents/readers/markup.h"
#include "app/documents/readers/zip_archive.h"
#include "ingle/result.h"

namespace ingle::documents {

/// Unpacks and parses one part, if it is there. Errors: as ZipArchive::read(); also Damaged.
Status parsePart(const ZipArchive& archive, const std::string& part, std::span<const Namespace> namespaces,
                 MarkupHandler& handler, std::string_view format);

/// The title in a part of facts about the document, in Dublin Core's words; empty where there is none.
/// Errors: as above.
Result<std::string> titleIn(const ZipArchive& archive, const std::string& part, std::string_view format);

/// A whole number in an attribute.
uint32_t numberOr(uint32_t fallback, std::string_view text);

}  // namespace ingle::documents
