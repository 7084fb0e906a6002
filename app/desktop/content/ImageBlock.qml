// Pictures of a message, side by side.
import QtQuick
import Inglenook

BlockFrame {
    id: frame

    required property string label
    required property string plain
    required property bool isUser

    readonly property var hashes: label.split(" ")
    readonly property var names: plain.split("\n")
    readonly property bool single: hashes.length === 1

    space: Theme.s
    bodyHeight: flow.implicitHeight

    Flow {
        id: flow

        readonly property real step: Theme.tileSize + spacing
        readonly property int columns: Math.max(1, Math.min(frame.hashes.length,
                                                            Math.floor((frame.bodyWidth + spacing) / step)))

        // The person's own stand where bubbles do.
        anchors.right: frame.isUser ? parent.right : undefined
        anchors.left: frame.isUser ? undefined : parent.left
        width: frame.single ? implicitWidth : columns * step - spacing
        spacing: Theme.s

        Repeater {
            model: frame.hashes.length
            delegate: PictureTile {
                required property int index

                objectName: "picture-" + index
                pictures: frame.list.pictures
                picture: frame.hashes[index]
                name: frame.names[index] ?? ""
                keepsForm: frame.single
                implicitHeight: frame.single ? 1.5 * Theme.tileSize : Theme.tileSize
                onClicked: frame.list.pictureOpened(frame.hashes, frame.names, index)
            }
        }
    }
}
