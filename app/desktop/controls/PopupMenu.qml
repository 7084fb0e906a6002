// A small menu of actions.
import QtQuick
import QtQuick.Templates as T
import Inglenook

T.Menu {
    id: menu

    margins: Theme.s
    padding: Theme.xs
    implicitWidth: 190
    implicitHeight: contentItem.implicitHeight + 2 * padding

    delegate: PopupMenuItem {}
    contentItem: ListView {
        implicitHeight: contentHeight
        model: menu.contentModel
        interactive: false
        currentIndex: menu.currentIndex
    }
    background: Rectangle {
        color: Theme.popup
        radius: Theme.radius
        border.color: Theme.line
    }
}
