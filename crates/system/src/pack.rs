//! Packing values into bytes and back.
//!
//! Engines keep states as bytes. A type that can be a state says here how it becomes bytes;
//! numbers, truth values, arrays, tuples, options and vectors do so already, and [`pack_fields!`]
//! does it for a struct of such fields. The bytes must determine the value and equal values must
//! have equal bytes: an engine takes states for the same iff their bytes are. The length may vary.
//!
//! [`pack_fields!`]: crate::pack_fields

/// A value that can be packed into bytes.
pub trait Pack: Sized {
    /// Appends the value.
    fn pack(&self, bytes: &mut Vec<u8>);

    /// Takes a value off the front; none if the bytes are not those of a value.
    fn unpack(bytes: &mut &[u8]) -> Option<Self>;
}

/// Takes `N` bytes off the front.
fn front<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = bytes.split_first_chunk::<N>()?;
    *bytes = rest;
    Some(*first)
}

macro_rules! pack_number {
    ($($number:ty),*) => {$(
        impl Pack for $number {
            fn pack(&self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_le_bytes());
            }
            fn unpack(bytes: &mut &[u8]) -> Option<Self> {
                front(bytes).map(<$number>::from_le_bytes)
            }
        }
    )*};
}

pack_number!(u8, u16, u32, u64, i8, i16, i32, i64);

impl Pack for bool {
    fn pack(&self, bytes: &mut Vec<u8>) {
        bytes.push(u8::from(*self));
    }
    fn unpack(bytes: &mut &[u8]) -> Option<bool> {
        match u8::unpack(bytes)? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl<T: Pack> Pack for Option<T> {
    fn pack(&self, bytes: &mut Vec<u8>) {
        self.is_some().pack(bytes);
        if let Some(value) = self {
            value.pack(bytes);
        }
    }
    fn unpack(bytes: &mut &[u8]) -> Option<Option<T>> {
        if bool::unpack(bytes)? {
            T::unpack(bytes).map(Some)
        } else {
            Some(None)
        }
    }
}

impl<T: Pack, const N: usize> Pack for [T; N] {
    fn pack(&self, bytes: &mut Vec<u8>) {
        self.iter().for_each(|value| value.pack(bytes));
    }
    fn unpack(bytes: &mut &[u8]) -> Option<[T; N]> {
        let values: Option<Vec<T>> = (0..N).map(|_| T::unpack(bytes)).collect();
        values?.try_into().ok()
    }
}

/// The number of elements (at most 2^32 - 1) in front; equal vectors have equal bytes.
impl<T: Pack> Pack for Vec<T> {
    fn pack(&self, bytes: &mut Vec<u8>) {
        (self.len() as u32).pack(bytes);
        self.iter().for_each(|value| value.pack(bytes));
    }
    fn unpack(bytes: &mut &[u8]) -> Option<Vec<T>> {
        let len = u32::unpack(bytes)?;
        (0..len).map(|_| T::unpack(bytes)).collect()
    }
}

macro_rules! pack_tuple {
    ($($field:ident),*) => {
        impl<$($field: Pack),*> Pack for ($($field,)*) {
            #[expect(non_snake_case, reason = "a field is named like its type")]
            fn pack(&self, bytes: &mut Vec<u8>) {
                let ($($field,)*) = self;
                $($field.pack(bytes);)*
            }
            fn unpack(bytes: &mut &[u8]) -> Option<Self> {
                Some(($($field::unpack(bytes)?,)*))
            }
        }
    };
}

pack_tuple!(A);
pack_tuple!(A, B);
pack_tuple!(A, B, C);
pack_tuple!(A, B, C, D);
pack_tuple!(A, B, C, D, E);

/// Implements [`Pack`](crate::pack::Pack) for a struct whose fields all have it.
///
/// ```
/// use evenhand_system::pack::Pack;
///
/// #[derive(Debug, PartialEq)]
/// struct Place { x: u8, y: u16, seen: Vec<bool> }
/// evenhand_system::pack_fields!(Place { x, y, seen });
///
/// let place = Place { x: 1, y: 300, seen: vec![true] };
/// let mut bytes = Vec::new();
/// place.pack(&mut bytes);
/// assert_eq!(Place::unpack(&mut &bytes[..]), Some(place));
/// ```
#[macro_export]
macro_rules! pack_fields {
    ($name:ident { $($field:ident),* $(,)? }) => {
        impl $crate::pack::Pack for $name {
            fn pack(&self, bytes: &mut Vec<u8>) {
                $($crate::pack::Pack::pack(&self.$field, bytes);)*
            }
            fn unpack(bytes: &mut &[u8]) -> Option<Self> {
                Some($name { $($field: $crate::pack::Pack::unpack(bytes)?),* })
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::Pack;

    fn round<T: Pack + PartialEq + std::fmt::Debug>(value: T) {
        let mut bytes = Vec::new();
        value.pack(&mut bytes);
        let mut rest = &bytes[..];
        assert_eq!(T::unpack(&mut rest).as_ref(), Some(&value));
        assert!(rest.is_empty());
        // Whatever is cut off or changed, unpacking does not panic.
        for cut in 0..bytes.len() {
            assert_eq!(T::unpack(&mut &bytes[..cut]), None);
        }
        for at in 0..bytes.len() {
            let mut other = bytes.clone();
            other[at] = !other[at];
            let _ = T::unpack(&mut &other[..]);
        }
    }

    #[test]
    fn values_come_back() {
        round((1u8, -2i64, true, [3u16, 4], Some(vec![5u32, 6])));
        round((None::<u8>, vec![vec![1i8], vec![]], (7i16,)));
        round(vec![(false, u64::MAX)]);
    }
}
