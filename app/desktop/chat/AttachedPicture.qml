// A picture that is attached to what is being written.
import QtQuick
import Inglenook

Item {
    id: row

    required property Pictures pictures
    required property string picture
    required property string name

    signal removed
    signal opened

    objectName: "attachedPicture"
    width: Theme.tileSize
    height: Theme.tileSize

    PictureTile {
        objectName: "attachedTile"
        anchors.fill: parent
        pictures: row.pictures
        picture: row.picture
        name: row.name
        onClicked: row.opened()
    }
    IconButton {
        objectName: "removePicture"
        anchors.right: parent.right
        anchors.top: parent.top
        anchors.margins: Theme.xs
        width: Math.round(Theme.controlSize * 0.75)
        height: width
        iconName: "close"
        tint: Theme.text
        hint: row.name.length > 0 ? qsTr("Remove %1").arg(row.name) : qsTr("Remove the picture")
        onClicked: row.removed()

        Rectangle {
            anchors.fill: parent
            z: -1
            radius: width / 2
            color: Theme.popup
            border.color: Theme.line
        }
    }
}
