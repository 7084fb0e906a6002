#include "app/desktop/services/screen_reader.h"

#include <chrono>

namespace ingle::desktop {
namespace {

/// Readers ask for a text after they are told of it: the next must not take its place before that.
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
    m_words = m_waiting.join(u' ');
    m_waiting.clear();
    m_pause.start(kPause);
    emit wordsChanged();
}

ScreenReaderVoice::ScreenReaderVoice(QQuickItem* parent) : QQuickItem(parent) {
    setSize({1, 1});
    connect(&ScreenReader::instance(), &ScreenReader::wordsChanged, this, [this] {
        QAccessibleEvent shown(this, QAccessible::ObjectShow);
        QAccessible::updateAccessibility(&shown);
    });
}

}  // namespace ingle::desktop
