/// Where the window lies and how wide its sidebar is, from one start to the next.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QMargins>
#include <QObject>
#include <QPointer>
#include <QRect>
#include <QTimer>
#include <QWindow>

#include <optional>
#include <string>

#include "app/desktop/services/storage_thread.h"

namespace ingle::desktop {

/// Of a screen's part that windows may use, the rectangle nearest to `wanted`: as large as fits, and nowhere
/// beyond an edge. Units: device-independent pixels.
QRect fittedInto(const QRect& available, QRect wanted);

class WindowPlace : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    Q_PROPERTY(int sidebarWidth READ sidebarWidth WRITE setSidebarWidth NOTIFY sidebarWidthChanged)
    /// What the person may choose.
    Q_PROPERTY(int leastSidebarWidth READ leastSidebarWidth CONSTANT)
  public:
    explicit WindowPlace(StorageThread& storage, QObject* parent = nullptr);
    /// Stores what changed last.
    ~WindowPlace() override;

    int sidebarWidth() const { return m_sidebarWidth; }
    void setSidebarWidth(int width);
    int leastSidebarWidth() const;

    /// Puts a window, which is not visible yet, where the last one was and shows it; from there on its place
    /// is kept. A history that does not answer is not waited for.
    Q_INVOKABLE void show(QWindow* window);

  signals:
    void sidebarWidthChanged();

  private:
    struct Stored {
        QRect place;
        QMargins frame;
        bool maximized = false;
        int sidebarWidth = 0;
    };
    static std::optional<Stored> parsed(const std::string& text);

    void showAt(const std::optional<Stored>& stored);
    void remember();
    void noteFrame();
    void save();

    StorageThread& m_storage;
    QPointer<QWindow> m_window;
    bool m_shown = false;
    QTimer m_impatience;
    QTimer m_delay;  ///< runs while there are changes to store
    QRect m_place;   ///< when it is not maximized, without the frame
    QMargins m_frame;
    bool m_maximized = false;
    int m_sidebarWidth;
};

}  // namespace ingle::desktop
