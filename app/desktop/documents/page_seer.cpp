#include "app/desktop/documents/page_seer.h"

#include <QCoreApplication>
#include <QPointer>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "app/desktop/services/while_alive.h"
#include "ingle/error_ids.h"
#include "ingle/sha256.h"

namespace ingle::desktop {
namespace {

/// A page of small print has some 2,000; what is longer repeats itself.
constexpr uint32_t kMostPageTokens = 4096;
constexpr std::chrono::milliseconds kLookEvery{50};
/// An engine that forgets a picture as soon as it has it is not given it again for ever.
constexpr int kMostTries = 3;

constexpr const char* kReadPage =
    "Write out all text on this page, word for word, in the order in which it is read. Write tables as "
    "Markdown. Answer with the text alone, and with nothing if there is none.";

Error anotherModel() {
    return {ErrorCode::InvalidArgument,
            PageSeer::tr("the model that was reading it is not in use any more. Open it again with that "
                         "model, and it goes on.")
                .toStdString()};
}

Error stopped() {
    return {ErrorCode::Cancelled, "reading was cancelled"};
}

/// Without the fence that some models put around whatever they write out.
std::string withoutFence(std::string text) {
    const size_t begin = text.find_first_not_of(" \t\n");
    const size_t end = text.find_last_not_of(" \t\n");
    if (begin == text.npos) return {};
    text = text.substr(begin, end + 1 - begin);
    constexpr std::string_view kFence = "```";
    const size_t line = text.find('\n');
    if (line == text.npos || !text.starts_with(kFence) || !text.ends_with(kFence)) return text;
    const size_t room = text.size() - kFence.size();
    return line < room ? text.substr(line + 1, room - line - 1) : std::string();
}

template <typename Call>
void inGui(Call call) {
    QMetaObject::invokeMethod(QCoreApplication::instance(), std::move(call), Qt::QueuedConnection);
}

}  // namespace

/// A page that is asked about.
struct PageSeer::Page {
    std::string model;  ///< id of whoever is to read it
    std::string picture;
    std::string said;
    int numTries = 0;
    bool isLeft = false;  ///< nobody waits for it any more
    protocol::RequestId request = 0;

    void finish(Result<std::string> with) {
        const std::lock_guard lock(mutex);
        if (!result) result = std::move(with);
        ended.notify_all();
    }
    /// Nothing: not yet.
    std::optional<Result<std::string>> wait() {
        std::unique_lock lock(mutex);
        ended.wait_for(lock, kLookEvery, [this] { return result.has_value(); });
        return result;
    }

  private:
    std::mutex mutex;
    std::condition_variable ended;
    std::optional<Result<std::string>> result;
};

std::optional<PageSeer::Seer> PageSeer::seer(std::shared_ptr<const std::atomic<bool>> cancelled) {
    if (m_models.state() != ModelInUse::Ready || !m_models.seesPictures() || m_models.isRemote())
        return std::nullopt;
    const std::string model = m_models.current().id;
    const auto see = [self = QPointer(this), model, cancelled](std::string picture) -> Result<std::string> {
        const auto page = std::make_shared<Page>();
        page->model = model;
        page->picture = std::move(picture);
        inGui([self, page] { self ? self->show(page) : page->finish(tl::unexpected(stopped())); });
        while (!*cancelled)
            if (auto result = page->wait()) return *std::move(result);
        inGui([self, page] {
            if (self) self->leave(page);
        });
        return tl::unexpected(stopped());
    };
    return Seer{m_models.currentName(), sha256Hex(model).substr(0, 16), see};
}

/// The engine is given the picture first.
void PageSeer::show(const PagePtr& page) {
    if (m_models.state() != ModelInUse::Ready || m_models.current().id != page->model)
        return page->finish(tl::unexpected(anotherModel()));
    ++page->numTries;
    const auto shown = [this, page](const Result<protocol::PictureTaken>& taken) {
        taken ? ask(page) : page->finish(tl::unexpected(taken.error()));
    };
    m_engine.ask(protocol::Picture{sha256Hex(page->picture), page->picture},
                 std::function<void(const Result<protocol::PictureTaken>&)>(whileAlive(this, shown)));
}

void PageSeer::ask(const PagePtr& page) {
    if (page->isLeft) return page->finish(tl::unexpected(stopped()));
    if (m_models.current().id != page->model) return page->finish(tl::unexpected(anotherModel()));
    GenerateRequest request;
    request.messages.push_back(
        {Role::User, {{PartKind::Image, "", sha256Hex(page->picture)}, {PartKind::Text, kReadPage, ""}}});
    request.sampler = {.temperature = 0};
    request.maxTokens = kMostPageTokens;
    request.promptForm.thinking = Thinking::Off;
    page->said.clear();
    const auto hear = [page](const std::vector<PartPiece>& pieces) {
        for (const PartPiece& piece : pieces)
            if (piece.kind == PartKind::Text) page->said += piece.text;
    };
    const auto finished = [this, page, hear](const Result<protocol::Done>& done) {
        if (!done && errorIdOf(done.error()) == ErrorId::PictureNeeded && page->numTries < kMostTries)
            return show(page);
        if (!done) return page->finish(tl::unexpected(done.error()));
        const StopReason reason = done->result.reason;
        if (reason == StopReason::Cancelled) return page->finish(tl::unexpected(stopped()));
        hear(done->result.tail);
        std::string text = withoutFence(std::move(page->said));
        if (reason != StopReason::EndOfText)
            text += "\n\n" + tr("[This page goes on. It was too long to be read to its end.]").toStdString();
        page->finish(std::move(text));
    };
    page->request =
        m_engine.generate(request, {.planned = [](const PromptPlan&) {},
                                    .promptProgress = [](double) {},
                                    .tokens = [hear](const TokenChunk& chunk) { hear(chunk.pieces); },
                                    .finished = whileAlive(this, finished)});
}

void PageSeer::leave(const PagePtr& page) {
    page->isLeft = true;
    page->numTries = kMostTries;
    if (page->request != 0) m_engine.cancel(page->request);
}

}  // namespace ingle::desktop
