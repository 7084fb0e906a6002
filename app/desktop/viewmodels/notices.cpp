#include "app/desktop/viewmodels/notices.h"

#include <utility>

namespace ingle::desktop {

void Notices::showBanner(const QString& sentence) {
    if (m_banner != sentence) showBanner(sentence, {}, {});
}

void Notices::showBanner(const QString& sentence, const QString& action, std::function<void()> run) {
    m_banner = sentence;
    m_bannerAction = action;
    m_runBannerAction = std::move(run);
    emit bannerChanged();
}

void Notices::runBannerAction() {
    const auto run = std::exchange(m_runBannerAction, {});
    dismissBanner();
    if (run) run();
}

void Notices::showToast(const QString& sentence, std::function<void()> undo) {
    m_toast = sentence;
    m_undo = std::move(undo);
    emit toastChanged();
}

void Notices::dismissBanner() {
    showBanner({});
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
