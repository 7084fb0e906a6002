/// ingle-documents: reads the document on its standard input and writes its text to standard output
/// (answer.h), or a picture and its pixels (picture_answer.h), or one page and its text or a picture of it
/// (page_answer.h). What it reads may be hostile, and it is read by large libraries: so before the first byte
/// is, the process gives up everything but memory, time and these two descriptors.
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <new>
#include <optional>
#include <string>

#include "app/documents/answer.h"
#include "app/documents/child_process.h"
#include "app/documents/limits.h"
#include "app/documents/page_answer.h"
#include "app/documents/picture_answer.h"
#include "app/documents/picture_refusals.h"
#include "app/documents/readers/pictures/pixels.h"
#include "app/documents/readers/reader.h"
#include "app/documents/readers/scans/recogniser.h"
#include "app/documents/readers/time_limit.h"
#include "app/documents/refusals.h"
#include "app/sandbox/sandbox.h"

namespace {

namespace documents = ingle::documents;
namespace limits = ingle::documents::limits;

void limit(__rlimit_resource_t resource, rlim_t soft, rlim_t hard) {
    const rlimit values{soft, hard};
    ::setrlimit(resource, &values);
}

/// Everything; nothing where it cannot be read. One byte more than a file may have is enough to know.
std::optional<std::string> standardInput() {
    std::string bytes;
    std::array<char, 65536> buffer;
    while (bytes.size() <= limits::kFileBytes) {
        const ssize_t count = ::read(STDIN_FILENO, buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return std::nullopt;
        if (count == 0) break;
        bytes.append(buffer.data(), static_cast<size_t>(count));
    }
    return bytes;
}

ingle::Result<documents::Document> readInput(std::string_view name) {
    const auto bytes = standardInput();
    if (!bytes) return documents::refuse(documents::Refusal::ReaderFailed);
    if (bytes->size() > limits::kFileBytes)
        return documents::refuse(documents::Refusal::TooLarge, std::to_string(limits::kFileBytes >> 20));
    return documents::readBytes({*bytes, name});
}

ingle::Result<ingle::Picture> readPicture(documents::Transparency transparency) {
    const auto bytes = standardInput();
    if (!bytes) return documents::refuse(documents::PictureRefusal::ReaderFailed);
    if (bytes->size() > limits::kPictureBytes) return documents::refuse(documents::PictureRefusal::TooLarge);
    return documents::decodePixels(*bytes, transparency);
}

ingle::Result<documents::RecognisedPage> readPage(std::string_view name, const char* number,
                                                  documents::PageWish wish) {
    const auto bytes = standardInput();
    if (!bytes || bytes->size() > limits::kFileBytes)
        return documents::refuse(documents::Refusal::ReaderFailed);
    return documents::readPage({*bytes, name}, static_cast<uint32_t>(std::strtoul(number, nullptr, 10)),
                               wish);
}

bool write(std::string_view text) {
    while (!text.empty()) {
        const ssize_t count = ::write(STDOUT_FILENO, text.data(), text.size());
        if (count < 0 && errno != EINTR) return false;
        if (count > 0) text.remove_prefix(static_cast<size_t>(count));
    }
    return true;
}

bool answerDocument(std::string_view name) {
    return write(documents::encodeAnswer(readInput(name)));
}

bool answerPicture(documents::Transparency transparency) {
    const ingle::Result<ingle::Picture> picture = readPicture(transparency);
    if (!write(documents::pictureHead(picture))) return false;
    return !picture || write({reinterpret_cast<const char*>(picture->rgb.data()), picture->rgb.size()});
}

}  // namespace

int main(int argc, char** argv) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::setpriority(PRIO_PROCESS, 0, 5);
    limit(RLIMIT_CORE, 0, 0);
    limit(RLIMIT_AS, limits::kMemory, limits::kMemory);
    const std::string_view task = argc > 2 ? argv[2] : "";
    const bool isOnWhite = task == documents::kPictureOnWhiteTask;
    const bool isPicture = isOnWhite || task == documents::kPictureTask;
    const bool isPagePicture = task == documents::kPagePictureTask;
    const bool isPage = argc > 3 && (task == documents::kPageTask || isPagePicture);
    isPage ? documents::limitPageTime() : documents::limitTime();

    // Times in archives are made local ones; the C library looks for the zone in files until it knows one by
    // name.
    ::setenv("TZ", "UTC0", 1);
    ::tzset();
    if (!isPicture) documents::prepareReaders();
    if (isPage && !isPagePicture) documents::prepareRecognition();
    ::prctl(PR_SET_DUMPABLE, 0);  // nothing of the document was read before
    if (const auto locked = ingle::sandbox::allowOnlyComputing(); !locked) {
        std::fprintf(stderr, "ingle-documents: %s\n", locked.error().message.c_str());
        return 1;
    }
    bool isWritten = false;
    try {
        if (isPicture)
            isWritten = answerPicture(isOnWhite ? documents::Transparency::OnWhite
                                                : documents::Transparency::Dropped);
        else if (isPage)
            isWritten = write(documents::encodePage(readPage(
                argv[1], argv[3], isPagePicture ? documents::PageWish::Picture : documents::PageWish::Text)));
        else
            isWritten = answerDocument(argc > 1 ? argv[1] : "");
    } catch (const std::bad_alloc&) {
        // What reading may take was not enough; whoever started this is told by how it ends.
    }
    // Destructors have nothing to say, and libraries might do what is not allowed any more.
    ::_exit(isWritten ? 0 : 1);
}
