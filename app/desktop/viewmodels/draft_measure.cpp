#include "app/desktop/viewmodels/draft_measure.h"

#include "app/desktop/while_alive.h"

#include <QLocale>

#include <chrono>
#include <utility>

namespace ingle::desktop {
namespace {

using namespace std::chrono_literals;

constexpr auto kPause = 500ms;
/// What takes less than this part of the room is short: nothing is said about it.
constexpr uint32_t kShort = 10;

}  // namespace

DraftMeasure::DraftMeasure(EngineClient& engine, const ModelListModel& models, const Settings& settings,
                           QObject* parent)
    : QObject(parent), m_engine(engine), m_models(models), m_settings(settings), m_pause(this) {
    m_pause.setSingleShot(true);
    m_pause.setInterval(kPause);
    connect(&m_pause, &QTimer::timeout, this, &DraftMeasure::count);
    connect(&models, &ModelListModel::stateChanged, this, [this] { look(std::exchange(m_text, {})); });
    connect(&settings, &Settings::changed, this, [this] { look(std::exchange(m_text, {})); });
}

void DraftMeasure::look(const QString& text) {
    if (text == m_text) return;
    m_text = text;
    if (m_asked != 0) m_engine.cancel(std::exchange(m_asked, 0));
    // Hardly any text has more tokens than characters.
    const bool canBeLong = m_models.state() == ModelListModel::Ready && m_models.contextTokens() > 0 &&
                           text.size() > static_cast<qsizetype>(m_models.contextTokens() / kShort);
    if (!canBeLong) {
        m_pause.stop();
        return say({}, {});
    }
    m_pause.start();
}

void DraftMeasure::count() {
    std::vector<ChatMessage> messages;
    if (const std::string prompt = m_settings.systemPrompt(); !prompt.empty())
        messages.push_back({Role::System, {{PartKind::Text, prompt, {}}}});
    messages.push_back({Role::User, {{PartKind::Text, m_text.toStdString(), {}}}});
    m_asked = m_engine.count(
        std::move(messages), whileAlive(this, [this](const Result<protocol::Counted>& counted) {
            m_asked = 0;
            if (!counted || counted->room == 0 || counted->tokens <= counted->room / kShort)
                return say({}, {});
            const QLocale locale;
            const QString tokens = locale.toString(counted->tokens);
            if (counted->tokens > counted->room)
                return say(tr("Too long for this model: %1 tokens, and there is room for %2.")
                               .arg(tokens, locale.toString(counted->room)),
                           {});
            say({}, tr("%1 tokens, %2 left").arg(tokens, locale.toString(counted->room - counted->tokens)));
        }));
}

void DraftMeasure::say(const QString& problem, const QString& figures) {
    if (problem == m_problem && figures == m_figures) return;
    m_problem = problem;
    m_figures = figures;
    emit problemChanged();
}

}  // namespace ingle::desktop
