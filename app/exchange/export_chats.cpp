#include "app/exchange/export_chats.h"

#include <algorithm>
#include <chrono>

namespace ingle::exchange {

const Exporter* findExporter(std::string_view extension) {
    for (const Exporter* each : allChatExporters())
        if (each->extension == extension) return each;
    return nullptr;
}

std::vector<const history::PortableMessage*> shownBranch(const history::PortableConversation& conversation) {
    std::vector<const history::PortableMessage*> branch;
    // Parents come before their children, so one walk from the end finds them all.
    history::Number wanted = conversation.activeLeaf;
    for (auto each = conversation.messages.rbegin(); each != conversation.messages.rend(); ++each) {
        if (each->message.id != wanted) continue;
        branch.push_back(&*each);
        wanted = each->message.parent;
    }
    std::ranges::reverse(branch);
    return branch;
}

std::string timeText(int64_t milliseconds) {
    if (milliseconds <= 0) return {};
    using namespace std::chrono;
    const sys_seconds time =
        floor<seconds>(sys_time<std::chrono::milliseconds>(std::chrono::milliseconds(milliseconds)));
    const year_month_day date(floor<days>(time));
    const hh_mm_ss clock(time - floor<days>(time));
    return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                       clock.hours().count(), clock.minutes().count());
}

Result<uint64_t> exportChats(history::HistoryReader& history, history::Selection selection,
                             const Exporter& exporter, const std::string& path, io::Existing existing,
                             const Course& course) {
    INGLE_TRY_ASSIGN(auto reading, history::PortableReading::begin(history, selection));
    INGLE_TRY_ASSIGN(const auto file, io::AtomicFile::create(path, io::Access::Private, existing));
    const auto exported = exporter.make([&](std::string_view text) {
        return file->write(std::as_bytes(std::span(text.data(), text.size())));
    });
    INGLE_TRY(exported->begin(reading.folders(), reading.profiles()));
    const auto cancelled = [&] { return fail(ErrorCode::Cancelled, "The export was cancelled."); };
    for (;;) {
        if (course.isCancelled()) return cancelled();
        INGLE_TRY_ASSIGN(const auto document, reading.nextDocument());
        if (!document) break;
        INGLE_TRY(exported->addDocument(*document));
    }
    for (uint64_t done = 0;;) {
        if (course.isCancelled()) return cancelled();
        INGLE_TRY_ASSIGN(const auto conversation, reading.next());
        if (!conversation) {
            INGLE_TRY(exported->end());
            INGLE_TRY(file->commit());
            return done;
        }
        INGLE_TRY(exported->add(*conversation));
        course.progress(++done);
    }
}

}  // namespace ingle::exchange
