#include "app/desktop/shell/window_place.h"

#include <QScreen>
#include <QStringList>

#include <algorithm>
#include <chrono>

#include "app/desktop/services/text.h"
#include "app/history/store/settings.h"

namespace ingle::desktop {
namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 400ms;
constexpr auto kPlaceDelay = 500ms;
constexpr int kLeastSidebarWidth = 200;
constexpr int kMostSidebarWidth = 480;
constexpr int kUsualSidebarWidth = 272;
// Until it is known what a window manager puts around.
constexpr QMargins kUsualFrame{0, 40, 0, 0};
const char* const kKey = "windowPlace";

}  // namespace

QRect fittedInto(const QRect& available, QRect wanted) {
    wanted.setSize(wanted.size().boundedTo(available.size()));
    wanted.moveLeft(std::clamp(wanted.left(), available.left(), available.right() + 1 - wanted.width()));
    wanted.moveTop(std::clamp(wanted.top(), available.top(), available.bottom() + 1 - wanted.height()));
    return wanted;
}

WindowPlace::WindowPlace(StorageThread& storage, QObject* parent)
    : QObject(parent),
      m_storage(storage),
      m_impatience(this),
      m_delay(this),
      m_frame(kUsualFrame),
      m_sidebarWidth(kUsualSidebarWidth) {
    m_impatience.setSingleShot(true);
    m_impatience.setInterval(kPatience);
    connect(&m_impatience, &QTimer::timeout, this, [this] { showAt(std::nullopt); });
    m_delay.setSingleShot(true);
    m_delay.setInterval(kPlaceDelay);
    connect(&m_delay, &QTimer::timeout, this, &WindowPlace::save);
}

WindowPlace::~WindowPlace() {
    if (m_delay.isActive()) save();
}

int WindowPlace::leastSidebarWidth() const {
    return kLeastSidebarWidth;
}

void WindowPlace::setSidebarWidth(int width) {
    const int fitting = std::clamp(width, kLeastSidebarWidth, kMostSidebarWidth);
    if (fitting == m_sidebarWidth) return;
    m_sidebarWidth = fitting;
    emit sidebarWidthChanged();
    if (m_shown) m_delay.start();
}

void WindowPlace::show(QWindow* window) {
    m_window = window;
    m_impatience.start();
    const auto work = [](history::History& history) { return history::setting(history, kKey); };
    m_storage.run(this, work, [this](const Result<std::optional<std::string>>& stored) {
        showAt(stored && *stored ? parsed(**stored) : std::nullopt);
    });
}

std::optional<WindowPlace::Stored> WindowPlace::parsed(const std::string& text) {
    const QStringList fields = toQString(text).split(' ');
    std::array<int, 10> numbers{};
    // Places stored before frames were have no frame.
    const bool hasFrame = fields.size() == std::ssize(numbers);
    if (!hasFrame && fields.size() != 6) return std::nullopt;
    for (qsizetype i = 0; i < fields.size(); ++i) {
        bool isNumber = false;
        numbers[static_cast<size_t>(i)] = fields[i].toInt(&isNumber);
        if (!isNumber) return std::nullopt;
    }
    const auto [x, y, width, height, maximized, sidebar, left, top, right, bottom] = numbers;
    const QMargins frame = hasFrame ? QMargins{left, top, right, bottom} : kUsualFrame;
    return Stored{{x, y, width, height}, frame, maximized != 0, sidebar};
}

void WindowPlace::showAt(const std::optional<Stored>& stored) {
    if (m_shown || !m_window) return;
    m_impatience.stop();
    QRect wanted = m_window->geometry();
    QScreen* screen = m_window->screen();
    if (stored) {
        wanted = stored->place;
        m_frame = stored->frame;
        // The screen may be another one now.
        for (QScreen* each : screen->virtualSiblings()) {
            if (each->availableGeometry().contains(wanted.center())) screen = each;
        }
        setSidebarWidth(stored->sidebarWidth);
        m_maximized = stored->maximized;
    } else {
        wanted.moveCenter(screen->availableGeometry().center());
    }
    m_place = fittedInto(screen->availableGeometry(), wanted.marginsAdded(m_frame)).marginsRemoved(m_frame);
    m_window->setGeometry(m_place);
    m_window->setWindowStates(m_maximized ? Qt::WindowMaximized : Qt::WindowNoState);
    m_window->setVisible(true);
    m_shown = true;
    for (const auto signal :
         {&QWindow::xChanged, &QWindow::yChanged, &QWindow::widthChanged, &QWindow::heightChanged})
        connect(m_window, signal, this, &WindowPlace::remember);
    connect(m_window, &QWindow::windowStateChanged, this, &WindowPlace::remember);
}

void WindowPlace::remember() {
    const Qt::WindowStates states = m_window->windowStates();
    if (states & (Qt::WindowMinimized | Qt::WindowFullScreen)) return;
    m_maximized = states & Qt::WindowMaximized;
    if (!m_maximized) {
        m_place = m_window->geometry();
        noteFrame();
    }
    m_delay.start();
}

void WindowPlace::noteFrame() {
    if (m_window && m_shown && !m_window->windowStates()) m_frame = m_window->frameMargins();
}

void WindowPlace::save() {
    m_delay.stop();
    noteFrame();  // a window manager may tell it after the place
    const std::string text =
        fmt::format("{} {} {} {} {} {} {} {} {} {}", m_place.x(), m_place.y(), m_place.width(),
                    m_place.height(), m_maximized ? 1 : 0, m_sidebarWidth, m_frame.left(), m_frame.top(),
                    m_frame.right(), m_frame.bottom());
    const auto work = [text](history::History& history) { return history::setSetting(history, kKey, text); };
    m_storage.run(this, work, [](const Status&) {});  // then the next start is where the last one was
}

}  // namespace ingle::desktop
