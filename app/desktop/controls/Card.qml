// A modal sheet in the middle of the window with a title and a close button.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

T.Popup {
    id: card

    required property string title
    /// Made anew whenever the card opens.
    required property Component body
    /// What goes wrong while the card lies over the window is said on it; null: nothing is.
    property Services services: null
    property string bannerBefore

    onAboutToShow: bannerBefore = services ? services.notices.banner : ""

    /// What the window has for it; the overlay comes a moment after the card.
    readonly property size room: parent ? Qt.size(parent.width, parent.height) : Qt.size(0, 0)

    parent: T.Overlay.overlay
    x: Math.round((room.width - width) / 2)
    y: Math.round(Math.max(Theme.l, (room.height - height) / 3))
    width: Math.min(Math.round(480 * Math.sqrt(Theme.textScale)), room.width - 2 * Theme.l)
    height: Math.min(implicitHeight, room.height - 2 * Theme.l)
    implicitHeight: implicitContentHeight + 2 * padding
    padding: Theme.xl
    modal: true
    focus: true
    closePolicy: T.Popup.CloseOnEscape | T.Popup.CloseOnPressOutside

    T.Overlay.modal: Rectangle {
        color: Theme.scrim
    }
    background: Rectangle {
        color: Theme.popup
        radius: Theme.largeRadius
    }

    contentItem: ColumnLayout {
        LayoutMirroring.enabled: Application.layoutDirection === Qt.RightToLeft
        LayoutMirroring.childrenInherit: true
        spacing: Theme.l
        Accessible.role: Accessible.Dialog
        Accessible.name: card.title

        FocusFollower {
            area: card.contentItem
        }

        RowLayout {
            Layout.fillWidth: true

            Text {
                textFormat: Text.PlainText
                Layout.fillWidth: true
                text: card.title
                color: Theme.text
                font.pixelSize: Theme.headingSize(2)
                font.weight: Font.DemiBold
                elide: Text.ElideRight
                Accessible.role: Accessible.Heading
                Accessible.name: text
            }
            IconButton {
                iconName: "close"
                hint: qsTr("Close")
                onClicked: card.close()
            }
        }
        Loader {
            Layout.fillWidth: true
            active: card.services !== null && card.services.notices.banner !== card.bannerBefore
            visible: active
            sourceComponent: Banner {
                notices: card.services.notices
                portal: card.services.portal
            }
        }
        Loader {
            Layout.fillWidth: true
            Layout.fillHeight: true
            active: card.visible
            sourceComponent: card.body
        }
    }
}
