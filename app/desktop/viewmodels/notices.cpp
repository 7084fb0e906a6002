#include "app/desktop/viewmodels/notices.h"

#include <utility>

namespace ingle::desktop {

void Notices::showBanner(const QString& sentence) {
    if (m_banner.sentence != sentence) showBanner(sentence, {}, {});
}

void Notices::showBanner(const QString& sentence, const QString& action, std::function<void()> run) {
    m_banner = {sentence, action, std::move(run), {}};
    emit bannerChanged();
}

void Notices::showOffer(const QString& sentence, const QString& action, std::function<void()> run,
                        std::function<void()> answered) {
    m_offer = {sentence, action, std::move(run), std::move(answered)};
    emit bannerChanged();
}

void Notices::clearBanner() {
    showBanner({});
}

Notices::Banner Notices::takeShown() {
    Banner banner = std::exchange(m_banner.sentence.isEmpty() ? m_offer : m_banner, {});
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

void Notices::showToast(const QString& sentence, std::function<void()> undo) {
    m_toast = sentence;
    m_undo = std::move(undo);
    emit toastChanged();
}

void Notices::dismissToast() {
    showToast({});
}

void Notices::undo() {
    const auto undo = std::exchange(m_undo, {});
    dismissToast();
    if (undo) undo();
}

}  // namespace ingle::desktop
