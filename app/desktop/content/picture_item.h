/// A stored picture, from pixels that Pictures has.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QPointer>
#include <QQuickPaintedItem>
#include <QSize>
#include <QString>

#include "app/desktop/services/pictures.h"

namespace ingle::desktop {

class PictureItem : public QQuickPaintedItem {
    Q_OBJECT
    QML_NAMED_ELEMENT(StoredPicture)
    Q_PROPERTY(ingle::desktop::Pictures* pictures READ pictures WRITE setPictures NOTIFY asked)
    Q_PROPERTY(QString hash READ hash WRITE setHash NOTIFY asked)
    /// All of it is shown, as large as there is room for; else its middle fills the item.
    Q_PROPERTY(bool whole READ isWhole WRITE setWhole NOTIFY asked)
    Q_PROPERTY(qreal radius MEMBER m_radius NOTIFY asked)
    /// In pixels; empty: there is no picture, or not yet.
    Q_PROPERTY(QSize pixels READ pixels NOTIFY shownChanged)
    /// Why it is not shown, in a sentence.
    Q_PROPERTY(QString problem READ problem NOTIFY shownChanged)
  public:
    explicit PictureItem(QQuickItem* parent = nullptr);

    Pictures* pictures() const { return m_pictures; }
    void setPictures(Pictures* pictures);
    const QString& hash() const { return m_hash; }
    void setHash(const QString& hash);
    bool isWhole() const { return m_whole; }
    void setWhole(bool whole);
    QSize pixels() const { return m_shown ? m_shown->image.size() : QSize(); }
    QString problem() const { return m_shown ? m_shown->problem : QString(); }

    void paint(QPainter* painter) override;
    void componentComplete() override;

  signals:
    void asked();
    void shownChanged();

  private:
    void look();

    QPointer<Pictures> m_pictures;
    QString m_hash;
    bool m_whole = false;
    qreal m_radius = 0;
    ShownPicturePtr m_shown;
};

}  // namespace ingle::desktop
