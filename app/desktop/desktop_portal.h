/// The desktop around the window, over D-Bus: light or dark, opening links, choosing a file. (The window's
/// children inherit its socket filter, so a link must be opened by somebody else.) GUI thread.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QDBusMessage>
#include <QDBusVariant>
#include <QObject>
#include <QString>
#include <QVariantMap>

#include <functional>

namespace ingle::desktop {

class DesktopPortal : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    Q_PROPERTY(bool prefersDark READ prefersDark NOTIFY prefersDarkChanged)
    Q_PROPERTY(QString fixedFontFamily READ fixedFontFamily CONSTANT)
    Q_PROPERTY(bool canChooseFiles READ canChooseFiles CONSTANT)
  public:
    explicit DesktopPortal(QObject* parent = nullptr);

    bool prefersDark() const { return m_prefersDark; }
    QString fixedFontFamily() const;
    bool canChooseFiles() const { return m_available; }

    Q_INVOKABLE void copy(const QString& text);
    /// linkCopied() follows.
    Q_INVOKABLE void copyLink(const QString& target);
    /// linkCopied() follows when no portal could open it.
    Q_INVOKABLE void openLink(const QString& target);
    /// fileChosen() follows, unless the person cancels.
    Q_INVOKABLE void chooseFile(const QString& title);

    /// saveChosen() follows, unless the person cancels; where none can ask, with a new name among the
    /// documents.
    Q_INVOKABLE void chooseSave(const QString& title, const QString& name);

  signals:
    void prefersDarkChanged();
    void linkCopied(const QString& target);
    void fileChosen(const QString& path);
    void saveChosen(const QString& path);

  private slots:
    void onSettingChanged(const QString& space, const QString& key, const QDBusVariant& value);
    void onFileResponse(uint response, const QVariantMap& results);
    void onSaveResponse(uint response, const QVariantMap& results);

  private:
    void setPrefersDark(const QVariant& colorScheme);
    /// Calls the portal; its answer comes to `slot`. `otherwise`: what is done where it cannot.
    void choose(const QDBusMessage& call, const char* slot, const std::function<void()>& otherwise = {});

    bool m_available = false;
    bool m_prefersDark = false;
};

}  // namespace ingle::desktop
