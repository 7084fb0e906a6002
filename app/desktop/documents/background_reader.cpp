#include "app/desktop/documents/background_reader.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/history/chats/profile.h"
#include "ingle/error_ids.h"

namespace ingle::desktop {
namespace {

/// A speed follows what is measured within about this time: answers in between make it uneven.
constexpr double kSettleSeconds = 15;

/// What a document is to be shown to the engine as; the text may be long.
struct Content {
    std::string title;
    std::string text;
};

history::DocumentReading tooLong(history::DocumentReading reading, const Error& error) {
    reading.tokens = static_cast<uint32_t>(std::strtoul(error.arguments[0].c_str(), nullptr, 10));
    reading.readTokens = 0;
    reading.keptBytes = 0;
    reading.room = static_cast<uint32_t>(std::strtoul(error.arguments[1].c_str(), nullptr, 10));
    return reading;
}

}  // namespace

BackgroundReader::BackgroundReader(StorageThread& storage, EngineClient& engine, ModelInUse& models,
                                   QObject* parent)
    : QObject(parent), m_storage(storage), m_engine(engine), m_models(models) {
    connect(&models, &ModelInUse::loadStarting, this, [this] {
        m_waiting.clear();
        stopCurrent();
        m_tokensPerSecond = 0;  // of another model
        emit changed();
    });
}

BackgroundReader::~BackgroundReader() = default;

ReadRequest BackgroundReader::requestFor(history::RowId document, const std::string& title,
                                         const std::string& text) const {
    return {{{Role::System, {{PartKind::Attachment, text, title}}}},
            std::to_string(document),
            history::termsOf(history::profileFromJson(m_models.current().profile)).promptForm};
}

bool BackgroundReader::isUnderWay(history::RowId document) const {
    const auto isIt = [document](const Job& job) { return job.document == document && job.aim == Aim::All; };
    return (m_current && isIt(*m_current)) || std::ranges::any_of(m_waiting, isIt);
}

bool BackgroundReader::isPlanning(history::RowId document) const {
    const auto isIt = [document](const Job& job) { return job.document == document && job.aim == Aim::Cost; };
    return (m_current && isIt(*m_current)) || std::ranges::any_of(m_waiting, isIt);
}

void BackgroundReader::want(history::RowId document, Aim aim) {
    if (m_models.state() != ModelInUse::Ready || m_models.isRemote() || isUnderWay(document)) return;
    if (aim == Aim::Cost && isPlanning(document)) return;
    const bool interrupts = aim == Aim::Cost && m_current && m_current->aim == Aim::All;
    if (interrupts) {
        m_waiting.push_front(*m_current);
        stopCurrent();
    }
    // Whoever asks for a cost waits for it.
    if (aim == Aim::Cost)
        m_waiting.push_front({document, aim});
    else
        m_waiting.push_back({document, aim});
    advance();
    emit changed();
}

void BackgroundReader::leave(history::RowId document) {
    std::erase_if(m_waiting, [document](const Job& job) { return job.document == document; });
    if (m_current && m_current->document == document) stopCurrent();
    advance();
    emit changed();
}

void BackgroundReader::stopCurrent() {
    if (!m_current) return;
    m_current.reset();
    ++m_numBegun;
    if (m_request != 0) m_engine.cancel(std::exchange(m_request, 0));
}

void BackgroundReader::advance() {
    if (m_current || m_waiting.empty() || m_models.state() != ModelInUse::Ready) return;
    m_current = m_waiting.front();
    m_waiting.pop_front();
    m_reading = {};
    m_reading.modelId = m_models.current().id;
    m_reading.modelName = m_models.current().name;
    const auto content = [document =
                              m_current->document](history::HistoryReader& history) -> Result<Content> {
        INGLE_TRY_ASSIGN(auto title, history::documentTitle(history, document));
        INGLE_TRY_ASSIGN(auto text, history::documentText(history, document));
        return Content{std::move(title), std::move(text)};
    };
    m_storage.readBehindWrites(this, content, [this, number = ++m_numBegun](const Result<Content>& found) {
        if (number != m_numBegun) return;
        if (!found) return onDone(tl::unexpected(found.error()));
        begin(requestFor(m_current->document, found->title, found->text));
    });
}

void BackgroundReader::begin(const ReadRequest& request) {
    const auto ifCurrent = [this, number = m_numBegun](auto handler) {
        return [this, number, handler](const auto& event) {
            if (number == m_numBegun) handler(event);
        };
    };
    m_request =
        m_engine.read(request, {.planned = ifCurrent([this](const ReadCost& cost) { onPlanned(cost); }),
                                .progress = ifCurrent([this](double fraction) { onProgress(fraction); }),
                                .done = ifCurrent([this](const Result<ReadCost>& cost) {
                                    m_request = 0;
                                    onDone(cost);
                                })});
}

void BackgroundReader::onPlanned(const ReadCost& cost) {
    m_reading.tokens = cost.tokens;
    m_reading.readTokens = cost.readTokens;
    m_reading.keptBytes = cost.keptBytes;
    m_sinceTold.start();
    m_tokensAtTold = cost.readTokens;
    // How long it takes is known with the first page.
    if (m_tokensPerSecond > 0) emit told(m_current->document, m_reading);
}

void BackgroundReader::measure(uint32_t tokens) {
    const double seconds = static_cast<double>(m_sinceTold.restart()) / 1000;
    const uint32_t before = std::exchange(m_tokensAtTold, tokens);
    if (tokens <= before || seconds <= 0) return;
    const double speed = (tokens - before) / seconds;
    const double weight = m_tokensPerSecond > 0 ? 1 - std::exp(-seconds / kSettleSeconds) : 1;
    m_tokensPerSecond += weight * (speed - m_tokensPerSecond);
}

void BackgroundReader::onProgress(double fraction) {
    const auto tokens = static_cast<uint32_t>(std::lround(fraction * m_reading.tokens));
    measure(tokens);
    m_reading.readTokens = std::max(m_reading.readTokens, tokens);
    const Job job = *m_current;
    if (job.aim == Aim::Cost) stopCurrent();
    emit told(job.document, m_reading);
    if (job.aim == Aim::Cost) {
        advance();
        emit changed();
    }
}

void BackgroundReader::onDone(const Result<ReadCost>& cost) {
    const Job job = *std::exchange(m_current, std::nullopt);
    if (cost) {
        m_reading.tokens = m_reading.readTokens = cost->tokens;
        m_reading.keptBytes = cost->keptBytes;
        emit told(job.document, m_reading);
    } else if (errorIdOf(cost.error()) == ErrorId::MessageTooLong) {
        emit told(job.document, tooLong(m_reading, cost.error()));
    } else if (cost.error().code != ErrorCode::Cancelled) {
        emit refused(job.document, cost.error());
    }
    advance();
    emit changed();
}

}  // namespace ingle::desktop
