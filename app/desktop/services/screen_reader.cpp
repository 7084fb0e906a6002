#include "app/desktop/services/screen_reader.h"

#include <chrono>

namespace ingle::desktop {
namespace {

/// Between two texts: what comes meanwhile is said in one go.
constexpr std::chrono::milliseconds kPause{250};

}  // namespace

ScreenReader& ScreenReader::instance() {
    static ScreenReader reader;
    return reader;
}

ScreenReader* ScreenReader::create(QQmlEngine*, QJSEngine*) {
    QQmlEngine::setObjectOwnership(&instance(), QQmlEngine::CppOwnership);
    return &instance();
}

ScreenReader::ScreenReader() : m_active(QAccessible::isActive()) {
    m_pause.setSingleShot(true);
    connect(&m_pause, &QTimer::timeout, this, &ScreenReader::next);
    QAccessible::installActivationObserver(this);
}

ScreenReader::~ScreenReader() {
    QAccessible::removeActivationObserver(this);
}

void ScreenReader::accessibilityActiveChanged(bool active) {
    m_active = active;
    if (!active) m_waiting.clear();
}

void ScreenReader::say(const QString& text) {
    const QString words = text.simplified();
    if (!m_active || words.isEmpty()) return;
    m_waiting.append(words);
    // At once where nothing was said lately, but together with what else is said in this turn of the loop.
    if (!m_pause.isActive()) m_pause.start(std::chrono::milliseconds(0));
}

void ScreenReader::next() {
    if (m_waiting.isEmpty()) return;
    const QString words = m_waiting.join(u' ');
    m_waiting.clear();
    m_pause.start(kPause);
    m_turn = (m_turn + 1) % kVoices;
    emit said(m_turn, words);
}

ScreenReaderVoice::ScreenReaderVoice(QQuickItem* parent) : QQuickItem(parent) {
    setSize({1, 1});
    connect(&ScreenReader::instance(), &ScreenReader::said, this, [this](int turn, const QString& words) {
        if (turn != m_turn) return;
        m_words = words;
        emit wordsChanged();
        QAccessibleEvent shown(this, QAccessible::ObjectShow);
        QAccessible::updateAccessibility(&shown);
    });
}

}  // namespace ingle::desktop
