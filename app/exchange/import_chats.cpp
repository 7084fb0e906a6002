#include "app/exchange/import_chats.h"

#include <algorithm>

#include "app/exchange/foreign_file.h"

namespace ingle::exchange {
namespace {

/// What examining and importing have in common: taking counts.
class Counting : public Taker {
  public:
    explicit Counting(const Course& course) : m_course(course) {}

  protected:
    Status take(const history::PortableFolder&) override { return {}; }
    Status take(const history::PortableProfile&) override { return {}; }
    Status take(const history::PortableConversation&) override {
        m_course.progress(findings().conversations);
        return {};
    }
    bool isCancelled() const override { return m_course.isCancelled(); }

  private:
    const Course& m_course;
};

class Writing : public Counting {
  public:
    Writing(history::History& history, const Course& course) : Counting(course), m_writing(history) {}

  protected:
    Status take(const history::PortableFolder& folder) override { return m_writing.addFolder(folder); }
    Status take(const history::PortableProfile& profile) override { return m_writing.addProfile(profile); }
    Status take(const history::PortableConversation& conversation) override {
        INGLE_TRY(m_writing.addConversation(conversation));
        return Counting::take(conversation);
    }

  private:
    history::PortableWriting m_writing;
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

Result<Findings> examine(const Recognised& recognised, const Course& course) {
    Counting counting(course);
    INGLE_TRY(recognised.importer->translate(recognised.source, counting));
    return counting.findings();
}

Result<Findings> importChats(const Recognised& recognised, history::History& history, const Course& course) {
    Writing writing(history, course);
    INGLE_TRY(history.atOnce([&] { return recognised.importer->translate(recognised.source, writing); }));
    return writing.findings();
}

}  // namespace ingle::exchange
