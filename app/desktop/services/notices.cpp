#include "app/desktop/services/notices.h"

#include <QTimer>

#include <algorithm>
#include <chrono>
#include <utility>

#include "app/desktop/services/error_sentences.h"

namespace ingle::desktop {
namespace {

constexpr std::chrono::seconds kToastLife{8};
constexpr size_t kMostToasts = 3;
constexpr size_t kMostUndos = 50;

}  // namespace

void Notices::showBanner(Banner banner) {
    std::erase_if(m_banners, [&](const Banner& each) { return each.topic == banner.topic; });
    const auto place = std::ranges::upper_bound(m_banners, banner.topic, {}, &Banner::topic);
    const QString sentence = banner.sentence;
    m_banners.insert(place, std::move(banner));
    emit bannerChanged();
    emit told(sentence);
}

Notices::Banner Notices::bannerOf(Topic topic, const Error& error) {
    return {.topic = topic, .sentence = errorSentence(error), .details = errorDetails(error)};
}

void Notices::showError(Topic topic, const Error& error) {
    Banner banner = bannerOf(topic, error);
    const bool isSaid = std::ranges::any_of(m_banners, [&](const Banner& each) {
        return each.topic == topic && each.sentence == banner.sentence && each.details == banner.details;
    });
    if (!isSaid) showBanner(std::move(banner));
}

void Notices::showNotWritten(const QString& path, const Error& error) {
    showBanner({.topic = Topic::Files,
                .sentence = tr("%1 could not be written.").arg(path),
                .details = toQString(error.message)});
}

void Notices::clearBanner(Topic topic) {
    if (std::erase_if(m_banners, [&](const Banner& each) { return each.topic == topic; }) > 0)
        emit bannerChanged();
}

Notices::Banner Notices::takeShown() {
    if (m_banners.empty()) return {};
    Banner banner = std::move(m_banners.back());
    m_banners.pop_back();
    emit bannerChanged();
    return banner;
}

void Notices::dismissBanner() {
    const Banner banner = takeShown();
    if (banner.answered) banner.answered();
}

void Notices::runBannerAction() {
    const Banner banner = takeShown();
    if (banner.answered) banner.answered();
    if (banner.run) banner.run();
}

QVariantList Notices::toasts() const {
    QVariantList list;
    for (const Toast& each : m_toasts)
        list.append(QVariantMap{{"key", each.key}, {"text", each.text}, {"canUndo", each.canUndo}});
    return list;
}

int Notices::addToast(const QString& sentence, bool canUndo) {
    // The same thing said twice is said once, and longer.
    std::erase_if(m_toasts, [&](const Toast& each) { return !canUndo && each.text == sentence; });
    if (m_toasts.size() == kMostToasts) m_toasts.erase(m_toasts.begin());
    m_toasts.push_back({++m_lastKey, sentence, canUndo});
    QTimer::singleShot(kToastLife, this, [this, key = m_lastKey] { dismissToast(key); });
    emit toastsChanged();
    emit told(sentence);
    return m_lastKey;
}

void Notices::showToast(const QString& sentence) {
    addToast(sentence, false);
}

void Notices::showUndo(const QObject* owner, const QString& sentence, std::function<void()> undo, Done done) {
    if (m_undos.size() == kMostUndos) m_undos.erase(m_undos.begin());
    const bool isKnown = std::ranges::find(m_undos, owner, &Undo::owner) != m_undos.end();
    m_undos.push_back({addToast(sentence, true), std::move(undo), done, owner});
    if (!isKnown)
        connect(owner, &QObject::destroyed, this,
                [this, owner] { forget([owner](const Undo& each) { return each.owner == owner; }); });
    emit undosChanged();
}

void Notices::undoLast() {
    if (!m_undos.empty()) undo(m_undos.back().key);
}

void Notices::forgetDeletions() {
    forget([](const Undo& each) { return each.done == Done::Deletion; });
}

void Notices::forgetUndos() {
    forget([](const Undo&) { return true; });
}

void Notices::forget(const std::function<bool(const Undo&)>& which) {
    std::erase_if(m_undos, which);
    std::erase_if(m_toasts, [this](const Toast& each) {
        return each.canUndo && std::ranges::find(m_undos, each.key, &Undo::key) == m_undos.end();
    });
    emit toastsChanged();
    emit undosChanged();
}

void Notices::dismissToast(int key) {
    if (std::erase_if(m_toasts, [key](const Toast& each) { return each.key == key; }) > 0)
        emit toastsChanged();
}

void Notices::undo(int key) {
    dismissToast(key);
    const auto found = std::ranges::find(m_undos, key, &Undo::key);
    if (found == m_undos.end()) return;
    const Undo undo = std::move(*found);
    m_undos.erase(found);
    emit undosChanged();
    undo.run();
}

}  // namespace ingle::desktop
