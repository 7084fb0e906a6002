#include "app/documents/read_document.h"

#include <unistd.h>

#include <filesystem>

#include "app/documents/answer.h"
#include "app/documents/child_process.h"
#include "app/documents/opened_file.h"
#include "app/documents/refusals.h"
#include "app/documents/source_folder.h"
#include "app/documents/text_encoding.h"

namespace ingle::documents {
namespace {

namespace fs = std::filesystem;

Result<Document> readFile(int file, const std::string& name, const ReadOptions& options) {
    const std::string program = options.program.empty() ? findReader() : options.program;
    if (program.empty()) return refuse(Refusal::ReaderMissing);
    INGLE_TRY_ASSIGN(const std::string answer,
                     runReader(program, file, {name}, options, limits::kAnswerBytes));
    return decodeAnswer(answer);
}

/// The last part of a path, also of one that ends in a slash or is ".".
std::string nameOf(const std::string& path) {
    std::error_code unknown;
    fs::path whole = fs::absolute(path, unknown).lexically_normal();
    if (!whole.has_filename()) whole = whole.parent_path();
    return whole.filename().string();
}

}  // namespace

Result<Document> readDocument(const std::string& path, const ReadOptions& options) {
    INGLE_TRY_ASSIGN(const OpenedFile file, openFile(path));
    if (!file.isFolder && file.bytes > limits::kFileBytes)
        return refuse(Refusal::TooLarge, std::to_string(limits::kFileBytes >> 20));
    const std::string name = nameOf(path);
    const int descriptor = file.descriptor.get();
    INGLE_TRY_ASSIGN(Document document, file.isFolder ? readSourceFolder(descriptor, options)
                                                      : readFile(descriptor, name, options));
    if (document.title.empty()) document.title = oneLine(name);
    if (document.title.empty()) document.title = document.format;
    return document;
}

std::string findReader() {
    std::error_code unknown;
    const fs::path program = fs::read_symlink("/proc/self/exe", unknown).parent_path();
    for (const char* place : {"ingle-documents", "../libexec/inglenook/ingle-documents"}) {
        const fs::path candidate = program / place;
        if (::access(candidate.c_str(), X_OK) == 0) return candidate.string();
    }
    return {};
}

}  // namespace ingle::documents
