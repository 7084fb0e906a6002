/// Reads a PDF whose pages are pictures, as scanners make them, or a picture of a page. What they say is
/// recognised page by page: by a model that sees, or in a process of its own for each page
/// (`ingle-documents`), where Tesseract is installed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "app/documents/read_document.h"

namespace ingle::documents {

struct ScanOptions {
    ReadOptions reading = {};
    /// Told before each page, and once more when it is known how many there are; 0: nobody knows yet.
    std::function<void(uint32_t page, uint32_t numPages)> isAt = [](uint32_t, uint32_t) {};
    /// A folder in which pages are kept until the last one is read, so that what was interrupted goes on
    /// where it was; empty: they are not.
    std::string keptIn = {};
    /// Asked once it was cancelled: whether nobody will go on with it, so that none of its pages are kept.
    std::function<bool()> isGivenUp = [] { return false; };
    /// Gives the text in a picture, of which it gets a PNG, JPEG or WebP file; null: Tesseract recognises it.
    std::function<Result<std::string>(std::string picture)> see = nullptr;
    /// Who that is, in letters and digits: what others have read is not taken for its work.
    std::string seer = {};
};

/// Takes seconds a page. Pages that have text of their own keep it. Errors: as readDocument(); those of
/// `see`; documentScanned where nothing can be recognised, or nothing was.
Result<Document> readScan(const std::string& path, const ScanOptions& options = {});

/// Whether readDocument() met pages that are pictures.
bool isScan(const Result<Document>& read);

}  // namespace ingle::documents
