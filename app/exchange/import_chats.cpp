#include "app/exchange/import_chats.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/exchange/foreign_file.h"
#include "app/history/trash/shredding.h"

namespace ingle::exchange {
namespace {

/// What examining and importing have in common: taking counts.
class Counting : public Taker {
  public:
    explicit Counting(const Course& course) : m_course(course) {}

  protected:
    Status take(const history::PortableFolder&) override { return {}; }
    Status take(const history::PortableProfile&) override { return {}; }
    Status take(const history::PortableDocument&) override { return {}; }
    Status take(history::PortableConversation) override {
        m_course.progress(findings().conversations);
        return {};
    }
    bool isCancelled() const override { return m_course.isCancelled(); }

  private:
    const Course& m_course;
};

/// A slice is at least so many messages or bytes of their texts: some ten milliseconds of writing.
constexpr size_t kSliceMessages = 100;
constexpr size_t kSliceBytes = 256 * 1024;

class Writing : public Counting {
  public:
    Writing(const WithHistory& with, const Course& course) : Counting(course), m_with(with) {}

    Result<std::vector<history::RowId>> finish() {
        INGLE_TRY(writeSlice());
        std::vector<history::RowId> conversations;
        INGLE_TRY(m_with([&](history::History& history) -> Status {
            INGLE_TRY_ASSIGN(conversations, m_writing.finish(history));
            return {};
        }));
        return conversations;
    }

  protected:
    Status take(const history::PortableFolder& folder) override { return m_writing.addFolder(folder); }
    Status take(const history::PortableProfile& profile) override { return m_writing.addProfile(profile); }
    Status take(const history::PortableDocument& document) override {
        return m_with([&](history::History& history) { return m_writing.addDocument(history, document); });
    }
    Status take(history::PortableConversation conversation) override {
        m_messages += conversation.messages.size();
        for (const history::PortableMessage& message : conversation.messages)
            for (const Part& part : message.message.parts) m_bytes += part.text.size() + part.data.size();
        for (const history::PortableFile& file : conversation.files) m_bytes += file.content.size();
        m_slice.push_back(std::move(conversation));
        if (m_messages >= kSliceMessages || m_bytes >= kSliceBytes) INGLE_TRY(writeSlice());
        return Counting::take(history::PortableConversation());
    }

  private:
    Status writeSlice() {
        if (m_slice.empty()) return {};
        INGLE_TRY(
            m_with([&](history::History& history) { return m_writing.addConversations(history, m_slice); }));
        m_slice.clear();
        m_messages = m_bytes = 0;
        return {};
    }

    const WithHistory& m_with;
    history::PortableWriting m_writing;
    std::vector<history::PortableConversation> m_slice;
    size_t m_messages = 0;
    size_t m_bytes = 0;
};

}  // namespace

Result<Recognised> recognise(const std::string& path) {
    Recognised recognised;
    INGLE_TRY_ASSIGN(recognised.source, openSource(path));
    const auto importers = allImporters();
    const auto found = std::ranges::find_if(
        importers, [&](const Importer* each) { return each->recognises(recognised.source); });
    if (found == importers.end()) {
        std::string names;
        for (const Importer* each : importers) (names += names.empty() ? "" : ", ") += each->program;
        return fail(ErrorCode::Unsupported, "{} holds no chats of a program that is known ({}).", path,
                    names);
    }
    recognised.importer = *found;
    return recognised;
}

std::string importedPrograms() {
    std::vector<std::string_view> programs;
    for (const Importer* importer : allImporters()) {
        if (!importer->origin.empty()) programs.push_back(importer->program);
    }
    std::ranges::sort(programs);
    return fmt::format("{}", fmt::join(programs, ", "));
}

Result<Findings> examine(const Recognised& recognised, const Course& course) {
    Counting counting(course);
    INGLE_TRY(recognised.importer->translate(recognised.source, counting));
    return counting.findings();
}

Result<Imported> importChats(const Recognised& recognised, const WithHistory& with, const Course& course) {
    Writing writing(with, course);
    const auto written = [&]() -> Result<std::vector<history::RowId>> {
        INGLE_TRY(recognised.importer->translate(recognised.source, writing));
        return writing.finish();
    }();
    if (written) return Imported{writing.findings(), *written};
    // Where not even that can be written, it goes when the history is opened the next time.
    (void)with([](history::History& history) { return history::dropArrivals(history); });
    return tl::unexpected<Error>(written.error());
}

Result<Imported> importChats(const Recognised& recognised, history::History& history, const Course& course) {
    return importChats(
        recognised, [&](const std::function<Status(history::History&)>& work) { return work(history); },
        course);
}

}  // namespace ingle::exchange
