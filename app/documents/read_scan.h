/// Reads a PDF whose pages are pictures, as scanners make them: text is recognised page by page, each in a
/// process of its own (`ingle-documents`), where Tesseract is installed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "app/documents/read_document.h"

namespace ingle::documents {

struct ScanOptions {
    ReadOptions reading = {};
    /// Told before each page; `numPages` is 0 while nobody knows.
    std::function<void(uint32_t page, uint32_t numPages)> isAt = [](uint32_t, uint32_t) {};
    /// A folder in which pages are kept until the last one is read, so that what was interrupted goes on
    /// where it was; empty: they are not.
    std::string keptIn = {};
};

/// Takes seconds a page. Pages that have text of their own keep it. Errors: as readDocument();
/// documentScanned where nothing can be recognised, or nothing was.
Result<Document> readScan(const std::string& path, const ScanOptions& options = {});

/// Whether readDocument() met pages that are pictures.
bool isScan(const Result<Document>& read);

}  // namespace ingle::documents
