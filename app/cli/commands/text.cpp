#include "app/cli/command.h"
#include "app/cli/interruption.h"
#include "app/cli/terminal_text.h"
#include "app/documents/read_scan.h"
#include "ingle/error_ids.h"

namespace ingle::cli::text_command {
namespace {

struct TextOptions {
    std::string path;
    bool places = false;
};

std::string described(const documents::Place& place) {
    switch (place.kind) {
        case documents::PlaceKind::Page:
            return fmt::format("page {}", place.number);
        case documents::PlaceKind::Heading:
            return fmt::format("{} {}", std::string(place.number, '#'), place.words);
        case documents::PlaceKind::File:
            break;
    }
    return "file " + place.words;
}

/// With the text that is recognised; what was read without it, where nothing can be.
Result<documents::Document> readScan(const std::string& path, Result<documents::Document> read) {
    documents::ScanOptions options{.reading = {.isCancelled = isInterrupted}};
    options.isAt = [](uint32_t page, uint32_t numPages) {
        if (numPages > 0) fmt::print(stderr, "recognising page {} of {}\n", page, numPages);
    };
    auto scan = documents::readScan(path, options);
    return !scan && scan.error().id == "documentScanned" ? std::move(read) : std::move(scan);
}

Status run(const TextOptions& options) {
    endByInterruption();
    auto document = documents::readDocument(options.path, {.isCancelled = isInterrupted});
    if (documents::isScan(document)) document = readScan(options.path, std::move(document));
    if (!document) return happenedTo(options.path, document.error());
    if (options.places) {
        for (const documents::Place& place : document->places)
            fmt::print("{}\t{}\n", place.offset, forStandardOutput(described(place)));
    } else {
        fmt::print("{}\n", forStandardOutput(document->text));
    }
    for (const documents::Loss& loss : document->leftOut)
        fmt::print(stderr, "left out: {}\n", lossText(loss));
    return {};
}

Action define(CLI::App& app) {
    auto options = std::make_shared<TextOptions>();
    app.add_option("FILE", options->path,
                   "document (text, Markdown, HTML, PDF, .docx, .odt), or a folder of source text")
        ->required();
    app.add_flag("--places", options->places,
                 "print where pages, headings and files begin instead: bytes from the beginning of the text");
    return [options] { return run(*options); };
}

}  // namespace

extern const Command command{"text", "print the text of a document, as a model is given it", define};

}  // namespace ingle::cli::text_command
