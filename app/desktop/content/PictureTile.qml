// A picture as a small tile, which opens it; where it cannot be shown, it says why.
import QtQuick
import QtQuick.Templates as T
import Inglenook

T.Button {
    id: tile

    required property Pictures pictures
    required property string picture
    /// What it shows.
    required property string name
    /// It is as wide as the picture's form asks for, within bounds.
    property bool keepsForm: false

    readonly property real form: view.pixels.height > 0 ? view.pixels.width / view.pixels.height : 1

    implicitHeight: Theme.tileSize
    implicitWidth: keepsForm ? Math.round(Math.max(0.6, Math.min(1.8, form)) * implicitHeight) : implicitHeight
    hoverEnabled: true
    Keys.onReturnPressed: clicked()
    Keys.onEnterPressed: clicked()
    // A click leaves the keyboard where it is, mostly in the composer.
    focusPolicy: Qt.TabFocus
    Accessible.name: name.length > 0 ? qsTr("Picture: %1").arg(name) : qsTr("Picture")
    Accessible.description: view.problem
    Accessible.onPressAction: clicked()

    StoredPicture {
        id: view
        anchors.fill: parent
        pictures: tile.pictures
        hash: tile.picture
        radius: Theme.radius
    }

    contentItem: Item {
        Icon {
            anchors.centerIn: parent
            visible: view.pixels.height === 0
            width: Theme.iconSize(28)
            height: Theme.iconSize(28)
            name: "picture"
            color: Theme.mutedText
        }
        Text {
            anchors.fill: parent
            anchors.margins: Theme.xs
            visible: view.problem.length > 0
            text: view.problem
            textFormat: Text.PlainText
            wrapMode: Text.Wrap
            elide: Text.ElideRight
            verticalAlignment: Text.AlignBottom
            color: Theme.danger
            font.pixelSize: Theme.smallSize
        }
        Rectangle {
            anchors.fill: parent
            radius: Theme.radius
            color: tile.down ? Theme.pressed : tile.hovered ? Theme.hover : "transparent"
            border.width: 1
            border.color: Theme.line

            FocusRing {
                shown: tile.visualFocus
            }
        }
    }
    background: Rectangle {
        radius: Theme.radius
        color: Theme.surface
    }
    Loader {
        active: tile.hovered && tile.name.length > 0
        sourceComponent: Hint {
            parent: tile
            text: tile.name
            visible: tile.hovered && !tile.down
        }
    }
}
